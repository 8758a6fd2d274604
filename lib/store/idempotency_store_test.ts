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
  return { runtime, receipts: new IdempotencyStore(kv, { runtime, sealer }) };
}

function receiptOf(body: string): IdempotencyRecord {
  return { fingerprint: "f", status: 201, headers: { location: "/v1/x" }, body };
}

/** Puts a receipt where `find` found room for it; tells whether it was. */
async function put(
  kv: Deno.Kv,
  receipts: IdempotencyStore,
  receipt: IdempotencyRecord,
): Promise<boolean> {
  const change = kv.atomic();
  await receipts.add(change, await receipts.find("scope"), receipt);
  return (await change.commit()).ok;
}

Deno.test("IdempotencyStore: a receipt is found as it was put, of any size", async () => {
  for (const size of [0, 10, 49_000, 49_152, 50_000, 390_000]) {
    using kv = await Deno.openKv(":memory:");
    const { receipts } = open(kv);
    assertEquals((await receipts.find("scope")).record, undefined);
    const receipt = receiptOf("é\n".repeat(size / 3));
    assert(await put(kv, receipts, receipt));
    assertEquals((await receipts.find("scope")).record, receipt);
    assertEquals((await receipts.find("other")).record, undefined);
  }
});

Deno.test("IdempotencyStore: nothing of a receipt stands in clear", async () => {
  using kv = await Deno.openKv(":memory:");
  const { receipts } = open(kv);
  await put(kv, receipts, receiptOf("cs_token"));
  const dump = await storedText(kv);
  for (const word of ["cs_token", "location", "fingerprint"]) assertFalse(dump.includes(word));
});

Deno.test("IdempotencyStore: of two who found the place free, one gets it", async () => {
  using kv = await Deno.openKv(":memory:");
  const { receipts } = open(kv);
  const place = await receipts.find("scope");
  const outcomes = [];
  for (const body of ["one", "two"]) {
    const change = kv.atomic();
    await receipts.add(change, place, receiptOf(body));
    outcomes.push((await change.commit()).ok);
  }
  assertEquals(outcomes, [true, false]);
  assertEquals((await receipts.find("scope")).record?.body, "one");
});

Deno.test("IdempotencyStore: after 24 hours the place is free, and nothing of the old one stays", async () => {
  using kv = await Deno.openKv(":memory:");
  const { receipts, runtime } = open(kv);
  await put(kv, receipts, receiptOf("x".repeat(200_000)));
  await runtime.advance(DAY_MS - 1);
  assert((await receipts.find("scope")).record);
  await runtime.advance(1);
  assertEquals((await receipts.find("scope")).record, undefined);
  assert(await put(kv, receipts, receiptOf("y".repeat(60_000))));
  assertEquals((await receipts.find("scope")).record?.body, "y".repeat(60_000));
  assertEquals(await storedKeys(kv), ["receipts/scope", "receipts/scope/1"]);
});

Deno.test("IdempotencyStore: one moved elsewhere, of another key, or short of a part is an error", async () => {
  using kv = await Deno.openKv(":memory:");
  const { receipts } = open(kv);
  await put(kv, receipts, receiptOf("x".repeat(60_000)));
  const moved = await kv.get(keys.idempotencyRecord("scope"));
  await kv.set(keys.idempotencyRecord("other"), { ...moved.value as object, more: 0 });
  await assertRejects(() => receipts.find("other"), UnsealError);
  const { receipts: rekeyed } = open(kv, new Uint8Array(32).fill(8).toBase64());
  await assertRejects(() => rekeyed.find("scope"), UnsealError);
  await kv.delete(keys.idempotencyRecordChunk("scope", 1));
  await assertRejects(() => receipts.find("scope"), CorruptRecordError);
});

Deno.test("IdempotencyStore: a scope is claimed by one, until it is released or has lapsed", async () => {
  using kv = await Deno.openKv(":memory:");
  const { runtime, receipts } = open(kv);
  const both = await Promise.all([receipts.claim("scope"), receipts.claim("scope")]);
  assertEquals(both.filter(Boolean).length, 1);
  assertFalse(await receipts.claim("scope"));
  assert(await receipts.claim("other"));
  await receipts.release("scope");
  assert(await receipts.claim("scope"));
  await runtime.advance(DAY_MS);
  assert(await receipts.claim("scope"));
});
