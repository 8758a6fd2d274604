import { assertEquals, assertRejects } from "@std/assert";
import { StoreUnavailableError } from "../tx/operation.ts";
import { FakeRuntime, flushMicrotasks } from "@/tests/support/fake_runtime.ts";
import { hangingKv } from "@/tests/support/hanging_kv.ts";
import { keys } from "../keys/keys.ts";
import { withStoreGate } from "./with_store_gate.ts";

const KEY = ["things", "one"];

async function start() {
  const runtime = new FakeRuntime();
  const store = hangingKv(await Deno.openKv(":memory:"));
  const logged: string[] = [];
  const note = (message: string) => void logged.push(message);
  const kv = withStoreGate(store.kv, { runtime, log: { info: note, warn: note } });
  return { kv, logged, store, runtime, [Symbol.dispose]: () => kv.close() };
}

Deno.test("withStoreGate: a store that is silent for a second gets no calls until it answers", async () => {
  using context = await start();
  const { kv, logged, store, runtime } = context;
  await kv.set(KEY, 0);
  store.hang();
  const sent = [kv.get(KEY), kv.set(KEY, 1)];
  await runtime.advance(999);
  sent.push(kv.getMany([KEY]) as never);
  assertEquals(await store.hung(2), 3, "a pause of less than a second does not count");
  await runtime.advance(1);
  const held = [
    kv.get(KEY),
    kv.atomic().set(["two"], 2).commit(),
    Array.fromAsync(kv.list({ prefix: [] })),
  ];
  await runtime.advance(1_000);
  assertEquals(await store.hung(2), 3, "no queued call was sent");
  assertEquals(logged.length, 1);
  store.goOn();
  await Promise.all([...sent, ...held]);
  assertEquals((await kv.get(["two"])).value, 2);
  assertEquals(logged.at(-1), "the store answers again");
  assertEquals([logged.length, runtime.sleeping], [2, 0]);
});

Deno.test("withStoreGate: a call that cannot be sent in time fails and is never sent", async () => {
  using context = await start();
  const { kv, store, runtime } = context;
  store.hang();
  const sent = kv.get(KEY);
  await runtime.advance(1_000);
  const held = assertRejects(() => kv.set(KEY, 1), StoreUnavailableError, "silent");
  await runtime.advance(4_500);
  await held;
  store.goOn();
  await sent;
  await flushMicrotasks();
  assertEquals((await kv.get(KEY)).value, null);
});

Deno.test("withStoreGate: an error counts as an answer", async () => {
  using context = await start();
  const { kv, runtime } = context;
  await assertRejects(() => kv.set(KEY, () => {}));
  await runtime.advance(60_000);
  assertEquals((await kv.set(KEY, 1)).ok, true);
  const rows = kv.list<number>({ prefix: [] });
  assertEquals((await rows.next()).value?.value, 1);
  assertEquals((await rows.next()).done, true);
  assertEquals(typeof rows.cursor, "string");
});

Deno.test("withStoreGate: a lost call does not close the gate permanently", async () => {
  using context = await start();
  const { kv, store, runtime } = context;
  store.loseNext();
  kv.get(KEY);
  await runtime.advance(60_000);
  assertEquals((await kv.set(KEY, 1)).ok, true, "the store is asked whether it is there");
  await runtime.advance(60_000);
  assertEquals((await kv.get(KEY)).value, 1);
  store.loseNext();
  kv.get(KEY);
  await kv.get(KEY);
  await runtime.advance(60_000);
  const { calls } = store;
  assertEquals((await kv.get(KEY)).value, 1);
  assertEquals(store.calls - calls, 1, "others were answered since: nothing is asked for first");
});

Deno.test("withStoreGate: a silent store is probed with reads only, at growing intervals", async () => {
  using context = await start();
  const { kv, store, runtime } = context;
  store.hang();
  const sent = kv.get(KEY);
  await runtime.advance(1_000);
  const { calls } = store;
  const held: Promise<unknown>[] = [];
  for (let second = 0; second < 600; second++) {
    held.push(assertRejects(() => kv.set(KEY, second), StoreUnavailableError, "silent"));
    await runtime.advance(1_000);
  }
  await runtime.advance(4_500);
  await Promise.all(held);
  const asked = store.calls - calls;
  assertEquals(asked > 5 && asked < 20, true, `${asked} questions in 10 minutes`);
  store.goOn();
  await sent;
  await flushMicrotasks();
  assertEquals((await kv.get(KEY)).value, null, "no write was made late");
  assertEquals((await kv.get(keys.storeProbe("gate"))).versionstamp, null);
});
