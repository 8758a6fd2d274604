import { assertEquals, assertRejects } from "@std/assert";
import { FakeRuntime, flushMicrotasks } from "@/tests/support/fake_runtime.ts";
import { ApiError } from "../../schemas/api_error.ts";
import { ByteBudget } from "./byte_budget.ts";
import { ClientDisconnectError, readBounded } from "./read_bounded.ts";

const KIB = 1024;

/** A body that a test sends piece by piece. */
function sentByHand() {
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    start: (given) => void (controller = given),
    cancel: () => void (cancelled = true),
  });
  return {
    body,
    send: (bytes: number) => controller.enqueue(new Uint8Array(bytes)),
    end: () => controller.close(),
    fail: () => controller.error(new Error("the connection was cut")),
    isCancelled: () => cancelled,
  };
}

function reading(
  body: ReadableStream<Uint8Array>,
  budget: ByteBudget,
  runtime = new FakeRuntime(),
) {
  return { read: readBounded(body, { limit: 1_000 * KIB, runtime, memory: { budget } }), runtime };
}

Deno.test("readBounded: large bodies share the budget and release it when complete", async () => {
  const budget = new ByteBudget(200 * KIB);
  const [one, other] = [sentByHand(), sentByHand()];
  const { read } = reading(one.body, budget);
  one.send(40 * KIB);
  one.send(80 * KIB);
  await flushMicrotasks();
  assertEquals(budget.available, 80 * KIB);
  const refused = assertRejects(() => reading(other.body, budget).read, ApiError);
  other.send(81 * KIB);
  const { status, headers } = await refused;
  assertEquals([status, headers["retry-after"], other.isCancelled()], [503, "5", true]);
  one.end();
  assertEquals((await read as Uint8Array).length, 120 * KIB);
  assertEquals(budget.available, 200 * KIB);
});

Deno.test("readBounded: bodies up to 64 KiB do not need the budget", async () => {
  const budget = new ByteBudget(0);
  const small = sentByHand();
  small.send(64 * KIB);
  small.end();
  assertEquals((await reading(small.body, budget).read as Uint8Array).length, 64 * KIB);
});

Deno.test("readBounded: releases the budget however the body ends", async () => {
  const budget = new ByteBudget(2_000 * KIB);
  const [cut, slow, large] = [sentByHand(), sentByHand(), sentByHand()];
  for (const { send } of [cut, slow, large]) send(100 * KIB);
  const failed = assertRejects(() => reading(cut.body, budget).read, ClientDisconnectError);
  cut.fail();
  await failed;
  const late = reading(slow.body, budget);
  // What it has sent counts for the window that begins with it.
  await late.runtime.advance(12_500);
  assertEquals(await late.read, "too_slow");
  large.send(901 * KIB);
  assertEquals(await reading(large.body, budget).read, "too_large");
  assertEquals(budget.available, 2_000 * KIB);
});
