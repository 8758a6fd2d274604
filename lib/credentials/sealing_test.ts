import sodium from "libsodium-wrappers";
import { assert, assertEquals, assertNotEquals, assertRejects, assertThrows } from "@std/assert";
import { FakeSystem } from "@/tests/support/fake_system.ts";
import { encryptionKeyIds } from "./encryption_key.ts";
import { SEAL_BYTES, Sealer, UnsealError } from "./sealing.ts";

const KEY = Uint8Array.from({ length: 32 }, (_, n) => n).toBase64();
const OTHER_KEY = Uint8Array.from({ length: 32 }, (_, n) => n + 1).toBase64();
const PLACE = ["receipts", "hash", 1];
const PLAIN = new TextEncoder().encode("cs_a-secret-token");

function sealer(key: string | string[] = KEY, purpose = "receipts"): Sealer {
  return new Sealer([key].flat(), { purpose, randomBytes: new FakeSystem().randomBytes });
}

Deno.test("Sealer: what was sealed opens again, also nothing at all", async () => {
  for (const plain of [PLAIN, new Uint8Array(), new Uint8Array(100_000).fill(7)]) {
    const sealed = await sealer().seal(plain, PLACE);
    assertEquals(sealed.length, plain.length + SEAL_BYTES);
    assertEquals(await sealer().open(sealed, PLACE), plain);
  }
});

Deno.test("Sealer: large and small values open either way", async () => {
  for (const size of [0, 1, 200, 16_384, 49_152]) {
    const plain = crypto.getRandomValues(new Uint8Array(size));
    const one = sealer();
    assertEquals(one.openSync(await one.seal(plain, PLACE), PLACE), plain);
    assertEquals(await one.open(one.sealSync(plain, PLACE), PLACE), plain);
  }
});

Deno.test("Sealer: the first key seals, every key opens, and a missing one is named by its id", async () => {
  const old = sealer(OTHER_KEY);
  const both = sealer([KEY, OTHER_KEY]);
  const before = await old.seal(PLAIN, PLACE);
  const after = await both.seal(PLAIN, PLACE);
  assertEquals(await both.open(before, PLACE), PLAIN);
  assertEquals(await sealer(KEY).open(after, PLACE), PLAIN);
  assertEquals([both.isCurrent(before), both.isCurrent(after)], [false, true]);
  const [id] = encryptionKeyIds([OTHER_KEY]);
  await assertRejects(() => sealer(KEY).open(before, PLACE), UnsealError, id);
});

Deno.test("Sealer: a value of version 1, which names no key, opens under any key of the list", async () => {
  const kept = "AbiPt0QhUpqab2WKP41k0Lsyjtg9/7svprYjFxOzFTKNbXexbq8cgt/mMaLq5Q==";
  const value = Uint8Array.fromBase64(kept);
  assertEquals(await sealer([OTHER_KEY, KEY]).open(value, PLACE), PLAIN);
  assertEquals(sealer().isCurrent(value), false);
  await assertRejects(() => sealer(OTHER_KEY).open(value, PLACE), UnsealError, "does not open");
});

Deno.test("Sealer: the cipher answers what its specification says", () => {
  // draft-irtf-cfrg-xchacha-03, appendix A.3.1.
  const hex = (text: string) => Uint8Array.fromHex(text);
  const plain = new TextEncoder().encode(
    "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, " +
      "sunscreen would be it.",
  );
  const sealed = sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(
    plain,
    hex("50515253c0c1c2c3c4c5c6c7"),
    null,
    hex("404142434445464748494a4b4c4d4e4f5051525354555657"),
    Uint8Array.from({ length: 32 }, (_, n) => 0x80 + n),
  );
  assertEquals(sealed.subarray(0, 16).toHex(), "bd6d179d3e83d43b9576579493c0e939");
  assertEquals(sealed.subarray(-16).toHex(), "c0875924c1c7987947deafd8780acf49");
});

Deno.test("Sealer: a value is sealed under the key that HKDF derives for the purpose", async () => {
  const sealed = sealer().sealSync(PLAIN, PLACE);
  const base = await crypto.subtle.importKey("raw", Uint8Array.fromBase64(KEY), "HKDF", false, [
    "deriveBits",
  ]);
  const info = new TextEncoder().encode("agent-chat sealing v2 receipts");
  const hkdf = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info };
  const key = new Uint8Array(await crypto.subtle.deriveBits(hkdf, base, 256));
  const opened = sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(
    null,
    sealed.subarray(29),
    JSON.stringify(PLACE),
    sealed.subarray(5, 29),
    key,
  );
  assertEquals(new Uint8Array(opened), PLAIN);
});

Deno.test("Sealer: a value sealed long ago still opens: the format is settled", async () => {
  const kept =
    "AlPlDisAW7YRbMcifdgzjulEn/pVsAtmwRx30i08WcmygDBXv0zBGGSMc/NbmOZOe3ErgWMRVFYguF1ldxk=";
  const opened = await sealer().open(Uint8Array.fromBase64(kept), PLACE);
  assertEquals(new TextDecoder().decode(opened), "cs_a-secret-token");
});

Deno.test("Sealer: equal values differ once sealed, and show nothing of what they hold", async () => {
  const one = sealer();
  const [first, second] = [await one.seal(PLAIN, PLACE), await one.seal(PLAIN, PLACE)];
  assertNotEquals(first, second);
  assert(!new TextDecoder("latin1").decode(first).includes("secret"));
});

Deno.test("Sealer: no other place, purpose or encryption key opens it", async () => {
  const sealed = await sealer().seal(PLAIN, PLACE);
  const tries = [
    () => sealer().open(sealed, ["receipts", "hash", 2]),
    () => sealer().open(sealed, ["receipts", "hash", "1"]),
    () => sealer().open(sealed, ["receipts", "hash"]),
    () => sealer(KEY, "secrets").open(sealed, PLACE),
    () => sealer(OTHER_KEY).open(sealed, PLACE),
  ];
  for (const attempt of tries) await assertRejects(attempt, UnsealError);
});

Deno.test("Sealer: any changed, missing or added byte is an UnsealError", async () => {
  const sealed = await sealer().seal(PLAIN, PLACE);
  for (let n = 0; n < sealed.length; n++) {
    const changed = sealed.slice();
    changed[n]! ^= 1;
    await assertRejects(() => sealer().open(changed, PLACE), UnsealError);
    await assertRejects(() => sealer().open(sealed.slice(0, n), PLACE), UnsealError);
  }
  await assertRejects(() => sealer().open(new Uint8Array([...sealed, 0]), PLACE), UnsealError);
});

Deno.test("Sealer: a key of another length and an empty list are refused at once", () => {
  assertThrows(() => sealer(new Uint8Array(16).toBase64()), Error, "32 bytes");
  assertThrows(() => sealer([]), Error, "at least one");
});
