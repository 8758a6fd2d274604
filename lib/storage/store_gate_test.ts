import { assertEquals, assertRejects } from "@std/assert";
import { StoreUnavailableError } from "../committer/operation.ts";
import { FakeSystem, settled } from "@/tests/support/fake_system.ts";
import { hangingKv } from "@/tests/support/hanging_kv.ts";
import { withStoreGate } from "./store_gate.ts";

const KEY = ["things", "one"];

async function start() {
  const system = new FakeSystem();
  const store = hangingKv(await Deno.openKv(":memory:"));
  const logged: string[] = [];
  const note = (message: string) => void logged.push(message);
  const kv = withStoreGate(store.kv, { system, log: { info: note, warn: note } });
  return { kv, logged, store, system, [Symbol.dispose]: () => kv.close() };
}

Deno.test("withStoreGate: a store that is silent for a second is sent nothing more until it answers", async () => {
  using world = await start();
  const { kv, logged, store, system } = world;
  await kv.set(KEY, 0);
  store.hang();
  const sent = [kv.get(KEY), kv.set(KEY, 1)];
  await system.advance(999);
  sent.push(kv.getMany([KEY]) as never);
  assertEquals(await store.hung(2), 3, "a pause of less than a second is none");
  await system.advance(1);
  const held = [
    kv.get(KEY),
    kv.atomic().set(["two"], 2).commit(),
    Array.fromAsync(kv.list({ prefix: [] })),
  ];
  await system.advance(1_000);
  assertEquals(await store.hung(2), 3, "nothing that is held has been sent");
  assertEquals(logged.length, 1);
  store.goOn();
  await Promise.all([...sent, ...held]);
  assertEquals((await kv.get(["two"])).value, 2);
  assertEquals(logged.at(-1), "the store answers again");
  assertEquals([logged.length, system.sleeping], [2, 0]);
});

Deno.test("withStoreGate: what could not be sent in time fails, and is not done later", async () => {
  using world = await start();
  const { kv, store, system } = world;
  store.hang();
  const sent = kv.get(KEY);
  await system.advance(1_000);
  const held = assertRejects(() => kv.set(KEY, 1), StoreUnavailableError, "silent");
  await system.advance(4_500);
  await held;
  store.goOn();
  await sent;
  await settled();
  assertEquals((await kv.get(KEY)).value, null);
});

Deno.test("withStoreGate: a store that fails is one that answers", async () => {
  using world = await start();
  const { kv, system } = world;
  await assertRejects(() => kv.set(KEY, () => {}));
  await system.advance(60_000);
  assertEquals((await kv.set(KEY, 1)).ok, true);
  const rows = kv.list<number>({ prefix: [] });
  assertEquals((await rows.next()).value?.value, 1);
  assertEquals((await rows.next()).done, true);
  assertEquals(typeof rows.cursor, "string");
});
