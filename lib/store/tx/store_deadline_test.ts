import { assertEquals, assertRejects } from "@std/assert";
import { FakeRuntime, flushMicrotasks } from "@/tests/support/fake_runtime.ts";
import { StoreUnavailableError } from "./operation.ts";
import { currentStoreDeadline, StoreDeadline, withStoreDeadline } from "./store_deadline.ts";

const never = () => new Promise<never>(() => {});

Deno.test("StoreDeadline: consecutive waits share one limit, and then fail at once", async () => {
  const runtime = new FakeRuntime();
  const deadline = new StoreDeadline({ runtime, ms: 4_500 });
  const failing = Promise.withResolvers<never>();
  const first = assertRejects(() => deadline.wait(failing.promise), Error, "locked");
  await runtime.advance(3_000);
  failing.reject(new Error("locked"));
  await first;
  let isOver = false;
  const second = assertRejects(() => deadline.wait(never()), StoreUnavailableError)
    .then(() => isOver = true);
  await runtime.advance(1_499);
  assertEquals([isOver, deadline.isExpired], [false, false]);
  await runtime.advance(1);
  await second;
  await assertRejects(() => deadline.wait(never()), StoreUnavailableError);
  assertEquals(runtime.sleeping, 0);
});

Deno.test("StoreDeadline: a response restarts the time, so slow work does not time out", async () => {
  const runtime = new FakeRuntime();
  const deadline = new StoreDeadline({ runtime, ms: 4_500 });
  const beside = assertRejects(() => deadline.wait(never()), StoreUnavailableError);
  for (let n = 0; n < 3; n++) {
    const answer = Promise.withResolvers<number>();
    const waiting = deadline.wait(answer.promise);
    await runtime.advance(4_000);
    answer.resolve(n);
    assertEquals(await waiting, n);
  }
  assertEquals(deadline.isExpired, false);
  await runtime.advance(4_500);
  await beside;
});

Deno.test("withStoreDeadline: work that continues after the response has no deadline", async () => {
  const runtime = new FakeRuntime();
  const begun = Promise.withResolvers<void>();
  let after: Promise<unknown> = Promise.resolve();
  await withStoreDeadline({ runtime, ms: 4_500 }, () => {
    assertEquals(currentStoreDeadline()?.hasEnded, false);
    after = begun.promise.then(() => assertEquals(currentStoreDeadline(), undefined));
    return Promise.resolve();
  });
  begun.resolve();
  await after;
  await flushMicrotasks();
  assertEquals([currentStoreDeadline(), runtime.sleeping], [undefined, 0]);
});

Deno.test("withStoreDeadline: a call that outlives the response keeps its limit", async () => {
  const runtime = new FakeRuntime();
  let call: Promise<unknown> = Promise.resolve();
  await withStoreDeadline({ runtime, ms: 4_500 }, () => {
    call = assertRejects(() => currentStoreDeadline()!.wait(never()), StoreUnavailableError);
    return Promise.resolve();
  });
  await runtime.advance(4_500);
  await call;
});
