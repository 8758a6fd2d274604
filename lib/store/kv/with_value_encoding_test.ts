import { assertEquals, assertInstanceOf, assertRejects, assertThrows } from "@std/assert";
import { isBinaryKey } from "../values/is_binary_key.ts";
import { UnreadableValueError, withValueEncoding } from "./with_value_encoding.ts";
import { keys } from "../keys/keys.ts";
import { deletePrefixes } from "../values/chunks.ts";

const RECORD = { v: 1, name: "Ä", at: 1_732_300_000_000, sealed: new Uint8Array([2, 3]) };
const KEY = keys.tenant("t");
const CHUNK = keys.runLogChunk("t", "run", 0);

async function open() {
  const raw = await Deno.openKv(":memory:");
  return { raw, kv: withValueEncoding(raw), [Symbol.dispose]: () => raw.close() };
}

Deno.test("withValueEncoding: records are stored as bytes, and every read decodes them", async () => {
  using stores = await open();
  const { raw, kv } = stores;
  const other = keys.tenant("u");
  await kv.set(KEY, RECORD);
  await kv.atomic().set(other, RECORD).mutate({ type: "set", key: ["n"], value: "text" }).commit();
  for (const key of [KEY, other, ["n"]]) assertInstanceOf((await raw.get(key)).value, Uint8Array);
  assertEquals((await kv.get(KEY)).value, RECORD);
  const many = await kv.getMany([KEY, other, ["n"], ["none"]]);
  assertEquals(many.map(({ value }) => value), [RECORD, RECORD, "text", null]);
  const listed = await Array.fromAsync(kv.list({ prefix: keys.tenants() }), ({ value }) => value);
  assertEquals(listed, [RECORD, RECORD]);
});

Deno.test("withValueEncoding: a list continues at its cursor", async () => {
  using stores = await open();
  for (const id of ["a", "b", "c"]) await stores.kv.set(keys.tenant(id), id);
  const first = stores.kv.list({ prefix: keys.tenants() }, { limit: 2 });
  assertEquals((await Array.fromAsync(first)).map(({ value }) => value), ["a", "b"]);
  const { cursor } = first;
  const second = stores.kv.list({ prefix: keys.tenants() }, { limit: 2, cursor });
  assertEquals((await Array.fromAsync(second)).map(({ value }) => value), ["c"]);
});

Deno.test("withValueEncoding: watching keys returns decoded values and can be cancelled", async () => {
  using stores = await open();
  const watched = stores.kv.watch([KEY, keys.tenant("u")]).getReader();
  const values = async () => (await watched.read()).value!.map(({ value }) => value);
  assertEquals(await values(), [null, null]);
  await stores.kv.set(KEY, RECORD);
  assertEquals(await values(), [RECORD, null]);
  await watched.cancel();
});

Deno.test("withValueEncoding: checks, deletions and sums are passed through", async () => {
  using stores = await open();
  const { kv } = stores;
  const created = kv.atomic().check({ key: KEY, versionstamp: null }).set(KEY, RECORD);
  assertEquals((await created.commit()).ok, true);
  assertEquals((await created.commit()).ok, false);
  await kv.atomic().delete(KEY).sum(["sum"], 2n).max(["sum"], 3n).min(["sum"], 1n).commit();
  assertEquals((await kv.get(KEY)).versionstamp, null);
  assertEquals((await kv.get<Deno.KvU64>(["sum"])).value!.value, 1n);
});

Deno.test("withValueEncoding: values of earlier releases are read, and converted by the next write", async () => {
  using stores = await open();
  const { raw, kv } = stores;
  for (const value of [RECORD, "an id", 7, ["id", "agent", "page"], true]) {
    await raw.set(KEY, value);
    assertEquals((await kv.get(KEY)).value, value);
    await kv.set(KEY, (await kv.get(KEY)).value);
    assertInstanceOf((await raw.get(KEY)).value, Uint8Array);
    assertEquals((await kv.get(KEY)).value, value);
  }
});

Deno.test("withValueEncoding: plain bytes are stored unchanged, whatever they begin with", async () => {
  using stores = await open();
  const { raw, kv } = stores;
  for (const begin of [[0x92, 1, 5], [0x92, 9], [2], []]) {
    const bytes = new Uint8Array(begin);
    await kv.set(CHUNK, bytes);
    assertEquals((await raw.get(CHUNK)).value, bytes);
    assertEquals((await kv.get(CHUNK)).value, bytes);
  }
  await assertRejects(
    async () => await kv.set(CHUNK, { v: 1 }),
    TypeError,
    "run_chunks must be bytes",
  );
});

Deno.test("withValueEncoding: bytes under the key of a record are decoded too", async () => {
  using stores = await open();
  await stores.kv.set(KEY, new Uint8Array([0x92, 1, 5]));
  assertEquals((await stores.kv.get(KEY)).value, new Uint8Array([0x92, 1, 5]));
});

Deno.test("withValueEncoding: a value of unknown format throws when it is used; others are readable", async () => {
  using stores = await open();
  const { raw, kv } = stores;
  const [newer, damaged] = [keys.tenant("newer"), keys.tenant("damaged")];
  const garbage = new Uint8Array([1, 2, 3]);
  await raw.set(newer, new Uint8Array([0x92, 77, 1]));
  await raw.set(damaged, garbage);
  await kv.set(KEY, RECORD);
  const [first, second, third] = await kv.getMany([newer, damaged, KEY]);
  assertThrows(
    () => first.value,
    UnreadableValueError,
    "stored record tenants cannot be decoded: its format 77 was written by a newer release",
  );
  assertThrows(
    () => second.value,
    UnreadableValueError,
    "tenants cannot be decoded: it is damaged",
  );
  assertEquals(third.value, RECORD);
  assertEquals((await raw.get(damaged)).value, garbage);
});

Deno.test("withValueEncoding: a value of unknown format can be deleted", async () => {
  using stores = await open();
  await stores.raw.set(KEY, new Uint8Array([1]));
  await deletePrefixes(stores.kv, [keys.tenants()]);
  assertEquals((await stores.raw.get(KEY)).versionstamp, null);
});

Deno.test("withValueEncoding: wrapping twice has no effect", async () => {
  using stores = await open();
  assertEquals(withValueEncoding(stores.kv) === stores.kv, true);
});

Deno.test("isBinaryKey: exactly the keys under which early releases stored bytes", () => {
  const document = { tenant: "t", base: "b", id: "d" };
  const bytes = [
    keys.agentBodyChunk("t", "a", 1, 0),
    keys.transcriptChunk("t", "r", 0),
    keys.documentPassageChunk(document, "revision", 0),
    keys.documentSourceChunk(document, "source", 0),
    keys.documentVectorChunk(document, "revision", "model", 0),
    keys.idempotencyRecordChunk("scope", 1),
    keys.runInputChunk("t", "r", 0),
    keys.runLogChunk("t", "r", 0),
    keys.scriptReleaseChunk("widget", "hash", 0),
  ];
  const records = [
    keys.documentVectorClaim(document, "revision", "model"),
    keys.idempotencyRecord("scope"),
    keys.scriptRelease("widget", "hash"),
    keys.agent("t", "a"),
    keys.activeRun("t", "r"),
    keys.runLogHead("t", "r"),
    keys.tenantLedger("t"),
  ];
  assertEquals(bytes.filter((key) => !isBinaryKey(key)), []);
  assertEquals(records.filter(isBinaryKey), []);
});
