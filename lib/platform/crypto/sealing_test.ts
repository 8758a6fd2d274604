import { assert, assertEquals, assertNotEquals, assertRejects, assertThrows } from "@std/assert";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { AES_256_GCM, type Cipher, XCHACHA20_POLY1305 } from "./ciphers.ts";
import { encryptionKeyIds } from "./encryption_key.ts";
import { SEAL_OVERHEAD_BYTES, Sealer, UnsealError } from "./sealing.ts";

const KEY = Uint8Array.from({ length: 32 }, (_, n) => n).toBase64();
const OTHER_KEY = Uint8Array.from({ length: 32 }, (_, n) => n + 1).toBase64();
const PLACE = ["receipts", "hash", 1];
const PLAIN = new TextEncoder().encode("cs_a-secret-token");

const CIPHERS = [XCHACHA20_POLY1305, AES_256_GCM];

function sealer(
  key: string | string[] = KEY,
  { purpose = "receipts", cipher = AES_256_GCM }: { purpose?: string; cipher?: Cipher } = {},
): Sealer {
  const { randomBytes } = new FakeRuntime();
  return new Sealer([key].flat(), { purpose, cipher, randomBytes });
}

Deno.test("Sealer: sealed values unseal, also empty ones", async () => {
  for (const plain of [PLAIN, new Uint8Array(), new Uint8Array(100_000).fill(7)]) {
    for (const cipher of CIPHERS) {
      const sealed = await sealer(KEY, { cipher }).seal(plain, PLACE);
      assert(sealed.length <= plain.length + SEAL_OVERHEAD_BYTES);
      assertEquals(await sealer().unseal(sealed, PLACE), plain);
    }
  }
});

Deno.test("Sealer: a context of any length is authenticated in full", async () => {
  for (const length of [1, 600, 700, 5_000]) {
    const context = ["ü".repeat(length), "a"];
    const sealed = sealer().sealSync(PLAIN, context);
    assertEquals(sealer().unsealSync(sealed, context), PLAIN);
    const other = ["ü".repeat(length), "b"];
    await assertRejects(() => sealer().unseal(sealed, other), UnsealError);
  }
});

Deno.test("Sealer: large and small values unseal synchronously and asynchronously", async () => {
  for (const size of [0, 1, 200, 16_384, 49_152]) {
    const plain = crypto.getRandomValues(new Uint8Array(size));
    const one = sealer(KEY, { cipher: CIPHERS[size % 2]! });
    assertEquals(one.unsealSync(await one.seal(plain, PLACE), PLACE), plain);
    assertEquals(await one.unseal(one.sealSync(plain, PLACE), PLACE), plain);
  }
});

Deno.test("Sealer: the first key seals, every key unseals, and an error names a missing key by id", async () => {
  const old = sealer(OTHER_KEY);
  const both = sealer([KEY, OTHER_KEY]);
  const before = await old.seal(PLAIN, PLACE);
  const after = await both.seal(PLAIN, PLACE);
  assertEquals(await both.unseal(before, PLACE), PLAIN);
  assertEquals(await sealer(KEY).unseal(after, PLACE), PLAIN);
  assertEquals([both.isCurrent(before), both.isCurrent(after)], [false, true]);
  const [id] = encryptionKeyIds([OTHER_KEY]);
  await assertRejects(() => sealer(KEY).unseal(before, PLACE), UnsealError, id);
});

Deno.test("Sealer: a value of version 1, without a key id, unseals under any key of the list", async () => {
  const kept = "AbiPt0QhUpqab2WKP41k0Lsyjtg9/7svprYjFxOzFTKNbXexbq8cgt/mMaLq5Q==";
  const value = Uint8Array.fromBase64(kept);
  assertEquals(await sealer([OTHER_KEY, KEY]).unseal(value, PLACE), PLAIN);
  assertEquals(sealer().isCurrent(value), false);
  await assertRejects(() => sealer(OTHER_KEY).unseal(value, PLACE), UnsealError, "cannot decrypt");
});

Deno.test("Sealer: a value is sealed under the key that HKDF derives for purpose and cipher", async () => {
  const base = await crypto.subtle.importKey("raw", Uint8Array.fromBase64(KEY), "HKDF", false, [
    "deriveBits",
  ]);
  for (const cipher of CIPHERS) {
    const sealed = sealer(KEY, { cipher }).sealSync(PLAIN, PLACE);
    const info = new TextEncoder().encode(`agent-chat sealing v${cipher.version} receipts`);
    const hkdf = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info };
    const key = new Uint8Array(await crypto.subtle.deriveBits(hkdf, base, 256));
    const nonce = sealed.subarray(5, 5 + cipher.nonceBytes);
    const data = new TextEncoder().encode(JSON.stringify(PLACE));
    const opened = cipher.decrypt(sealed.subarray(5 + cipher.nonceBytes), { key, nonce, data });
    assertEquals(opened, PLAIN);
  }
});

Deno.test("Sealer: a value sealed by an earlier version unseals", async () => {
  const kept =
    "AlPlDisAW7YRbMcifdgzjulEn/pVsAtmwRx30i08WcmygDBXv0zBGGSMc/NbmOZOe3ErgWMRVFYguF1ldxk=";
  const opened = await sealer().unseal(Uint8Array.fromBase64(kept), PLACE);
  assertEquals(new TextDecoder().decode(opened), "cs_a-secret-token");
});

Deno.test("Sealer: equal values seal differently and reveal nothing of their plaintext", async () => {
  const one = sealer();
  const [first, second] = [await one.seal(PLAIN, PLACE), await one.seal(PLAIN, PLACE)];
  assertNotEquals(first, second);
  assert(!new TextDecoder("latin1").decode(first).includes("secret"));
});

Deno.test("Sealer: no other context, purpose or encryption key unseals it", async () => {
  const sealed = await sealer().seal(PLAIN, PLACE);
  const tries = [
    () => sealer().unseal(sealed, ["receipts", "hash", 2]),
    () => sealer().unseal(sealed, ["receipts", "hash", "1"]),
    () => sealer().unseal(sealed, ["receipts", "hash"]),
    () => sealer(KEY, { purpose: "secrets" }).unseal(sealed, PLACE),
    () => sealer(OTHER_KEY).unseal(sealed, PLACE),
  ];
  for (const attempt of tries) await assertRejects(attempt, UnsealError);
});

Deno.test("Sealer: any changed, missing or added byte is an UnsealError", async () => {
  for (const cipher of CIPHERS) {
    const sealed = await sealer(KEY, { cipher }).seal(PLAIN, PLACE);
    for (let n = 0; n < sealed.length; n++) {
      const changed = sealed.slice();
      changed[n]! ^= 1;
      await assertRejects(() => sealer().unseal(changed, PLACE), UnsealError);
      await assertRejects(() => sealer().unseal(sealed.slice(0, n), PLACE), UnsealError);
    }
    await assertRejects(() => sealer().unseal(new Uint8Array([...sealed, 0]), PLACE), UnsealError);
  }
});

Deno.test("Sealer: a value of another cipher unseals and is resealed with the sealer's own", async () => {
  const before = await sealer(KEY, { cipher: XCHACHA20_POLY1305 }).seal(PLAIN, PLACE);
  const resealed = await sealer().reseal(before, PLACE);
  assertEquals([before[0], resealed?.[0]], [XCHACHA20_POLY1305.version, AES_256_GCM.version]);
  assertEquals(await sealer().unseal(resealed!, PLACE), PLAIN);
  assertEquals(await sealer().reseal(resealed!, PLACE), undefined);
});

Deno.test("Sealer: the constructor rejects a key of another length and an empty list", () => {
  assertThrows(() => sealer(new Uint8Array(16).toBase64()), Error, "32 bytes");
  assertThrows(() => sealer([]), Error, "at least one");
});
