import { assert, assertEquals, assertFalse, assertRejects } from "@std/assert";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { storedKeys, storedText } from "@/tests/support/store.ts";
import { Sealer, UnsealError } from "../platform/crypto/sealing.ts";
import { keys } from "./keys/keys.ts";
import { type IdempotencyRecord, IdempotencyStore } from "./idempotency_store.ts";
import { CorruptRecordError } from "./values/record.ts";

const DAY_MS = 24 * 60 * 60_000;
const KEY = new Uint8Array(32).fill(7).toBase64();

function open(kv: Deno.Kv, encryptionKey = KEY) {
  const runtime = new FakeRuntime();
  const sealer = new Sealer([encryptionKey], {
    purpose: "receipts",
    randomBytes: runtime.randomBytes,
  });
  return { runtime, store: new IdempotencyStore(kv, { runtime, sealer }) };
}

function recordOf(body: string): IdempotencyRecord {
  return { fingerprint: "f", status: 201, headers: { location: "/v1/x" }, body };
}

/** Stores a record for a scope; false if that failed. */
async function put(
  kv: Deno.Kv,
  store: IdempotencyStore,
  record: IdempotencyRecord,
): Promise<boolean> {
  const change = kv.atomic();
  await store.add(change, await store.find("scope"), record);
  return (await change.commit()).ok;
}

Deno.test("IdempotencyStore: a record of any size is found unchanged", async () => {
  for (const size of [0, 10, 49_000, 49_152, 50_000, 390_000]) {
    using kv = await Deno.openKv(":memory:");
    const { store } = open(kv);
    assertEquals((await store.find("scope")).record, undefined);
    const record = recordOf("é\n".repeat(size / 3));
    assert(await put(kv, store, record));
    assertEquals((await store.find("scope")).record, record);
    assertEquals((await store.find("other")).record, undefined);
  }
});

Deno.test("IdempotencyStore: nothing of a record is stored in clear", async () => {
  using kv = await Deno.openKv(":memory:");
  const { store } = open(kv);
  await put(kv, store, recordOf("cs_token"));
  const dump = await storedText(kv);
  for (const word of ["cs_token", "location", "fingerprint"]) assertFalse(dump.includes(word));
});

Deno.test("IdempotencyStore: of two concurrent requests with the same scope, one succeeds", async () => {
  using kv = await Deno.openKv(":memory:");
  const { store } = open(kv);
  const place = await store.find("scope");
  const outcomes = [];
  for (const body of ["one", "two"]) {
    const change = kv.atomic();
    await store.add(change, place, recordOf(body));
    outcomes.push((await change.commit()).ok);
  }
  assertEquals(outcomes, [true, false]);
  assertEquals((await store.find("scope")).record?.body, "one");
});

Deno.test("IdempotencyStore: after 24 hours the scope is free, and nothing of the old record remains", async () => {
  using kv = await Deno.openKv(":memory:");
  const { store, runtime } = open(kv);
  await put(kv, store, recordOf("x".repeat(200_000)));
  await runtime.advance(DAY_MS - 1);
  assert((await store.find("scope")).record);
  await runtime.advance(1);
  assertEquals((await store.find("scope")).record, undefined);
  assert(await put(kv, store, recordOf("y".repeat(60_000))));
  assertEquals((await store.find("scope")).record?.body, "y".repeat(60_000));
  assertEquals(await storedKeys(kv), ["receipts/scope", "receipts/scope/1"]);
});

Deno.test("IdempotencyStore: a record that was moved, has another key or lacks a chunk is an error", async () => {
  using kv = await Deno.openKv(":memory:");
  const { store } = open(kv);
  await put(kv, store, recordOf("x".repeat(60_000)));
  const moved = await kv.get(keys.idempotencyRecord("scope"));
  await kv.set(keys.idempotencyRecord("other"), { ...moved.value as object, more: 0 });
  await assertRejects(() => store.find("other"), UnsealError);
  const { store: rekeyed } = open(kv, new Uint8Array(32).fill(8).toBase64());
  await assertRejects(() => rekeyed.find("scope"), UnsealError);
  await kv.delete(keys.idempotencyRecordChunk("scope", 1));
  await assertRejects(() => store.find("scope"), CorruptRecordError);
});

Deno.test("IdempotencyStore: a scope has one claim, until it is released or expires", async () => {
  using kv = await Deno.openKv(":memory:");
  const { runtime, store } = open(kv);
  const both = await Promise.all([store.claim("scope"), store.claim("scope")]);
  assertEquals(both.filter(Boolean).length, 1);
  assertFalse(await store.claim("scope"));
  assert(await store.claim("other"));
  await store.release("scope");
  assert(await store.claim("scope"));
  await runtime.advance(DAY_MS);
  assert(await store.claim("scope"));
});
