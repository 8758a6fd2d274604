import { assert, assertEquals, assertRejects } from "@std/assert";
import { StoreFailedError, StoreUnavailableError } from "../tx/operation.ts";
import { isTooLargeError } from "../tx/store_error.ts";
import { systemRuntime as runtime } from "../../platform/runtime.ts";
import { breakableKv } from "@/tests/support/broken_kv.ts";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { hangingKv } from "@/tests/support/hanging_kv.ts";
import { withStoreFailures } from "./with_store_failures.ts";

const KEY = ["things", "one"];

Deno.test("withStoreFailures: every failure of the store becomes a StoreFailedError with its cause", async (t) => {
  const store = await breakableKv();
  const kv = withStoreFailures(store.kv, { runtime });
  // The message of an overloaded server differs from that for a call that is too large.
  const words = "KV Connect failed to call 'http://kv/': 429 Too Many Requests: must be slower";
  store.break(words);
  const calls: Record<string, () => Promise<unknown>> = {
    get: () => kv.get(KEY),
    getMany: () => kv.getMany([KEY]),
    set: () => kv.set(KEY, 1),
    delete: () => kv.delete(KEY),
    list: () => Array.fromAsync(kv.list({ prefix: [] })),
    atomic: () => kv.atomic().check({ key: KEY, versionstamp: null }).set(KEY, 1).commit(),
  };
  for (const [name, call] of Object.entries(calls)) {
    await t.step(name, async () => {
      const error = await assertRejects(call, StoreFailedError);
      assertEquals(error.message, `the store failed: ${words}`);
      assertEquals((error.cause as Error).message, words);
    });
  }
  store.break("", []);
  kv.close();
});

Deno.test("withStoreFailures: an invalid call throws its own error", async () => {
  const kv = withStoreFailures(await Deno.openKv(":memory:"), { runtime });
  const large = new Uint8Array(70_000);
  assert(isTooLargeError(await assertRejects(() => kv.set(KEY, large))));
  assert(isTooLargeError(await assertRejects(() => kv.atomic().set(KEY, large).commit())));
  const keys = Array.from({ length: 11 }, (_, n) => [n]);
  const faults = [
    () => kv.get(["x".repeat(3_000)]),
    () => kv.getMany(keys),
    () => Array.fromAsync(kv.list({ prefix: [] }, { cursor: "!" })),
    () => kv.set(KEY, 1, { expireIn: 0.5 }),
    () => kv.set(KEY, () => {}),
    () => kv.set([undefined as never], 1),
    () => kv.set([], 1),
    () => kv.atomic().set(KEY, new Promise(() => {})).commit(),
    () => kv.atomic().check({ key: KEY, versionstamp: "no" }).commit(),
    () => Array.fromAsync(kv.list({ prefix: ["b"], start: ["a"] })),
    () => kv.atomic().set(["n"], "text").sum(["n"], 1n).commit(),
  ];
  for (const fault of faults) {
    const error = await assertRejects(async () => await fault(), Error);
    assertEquals(error instanceof StoreFailedError, false, error.message);
  }
  kv.close();
});

Deno.test("withStoreFailures: a working store returns the same results", async () => {
  const real = await Deno.openKv(":memory:");
  const kv = withStoreFailures(real, { runtime });
  for (let n = 0; n < 5; n++) await kv.set(["rows", n], n);
  const some = kv.list<number>({ prefix: ["rows"] }, { limit: 2 });
  assertEquals((await Array.fromAsync(some)).map(({ value }) => value), [0, 1]);
  const rest = kv.list<number>({ prefix: ["rows"] }, { cursor: some.cursor });
  assertEquals((await Array.fromAsync(rest)).map(({ value }) => value), [2, 3, 4]);
  const taken = await kv.atomic().check({ key: ["rows", 0], versionstamp: null }).commit();
  assertEquals(taken.ok, false);
  await kv.delete(["rows", 0]);
  assertEquals(await kv.get(["rows", 0]), await real.get(["rows", 0]));
  assertEquals((await kv.getMany([["rows", 1]])).map(({ value }) => value), [1]);
  const watched = kv.watch([["rows", 4]]).getReader();
  assertEquals((await watched.read()).value?.map(({ value }) => value), [4]);
  await watched.cancel();
  kv.close();
});

Deno.test("withStoreFailures: a hanging read times out, a write does not", async (t) => {
  const still = new FakeRuntime();
  const store = hangingKv(await Deno.openKv(":memory:"));
  const kv = withStoreFailures(store.kv, { runtime: still, timeoutMs: 3_000 });
  store.hang();
  const reads: Record<string, () => Promise<unknown>> = {
    get: () => kv.get(KEY),
    getMany: () => kv.getMany([KEY]),
    list: () => Array.fromAsync(kv.list({ prefix: [] })),
  };
  for (const [name, call] of Object.entries(reads)) {
    await t.step(name, async () => {
      let isOver = false;
      const read = call().finally(() => isOver = true);
      read.catch(() => {});
      await still.advance(2_999);
      assertEquals(isOver, false);
      await still.advance(1);
      await assertRejects(() => read, StoreUnavailableError, "did not answer in time");
    });
  }
  const write = kv.set(KEY, 1);
  await still.advance(60_000);
  store.goOn();
  assertEquals((await write).ok, true);
  assertEquals((await kv.get(KEY)).value, 1);
  assertEquals(still.sleeping, 0);
  kv.close();
});
