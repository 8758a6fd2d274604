import { assert, assertEquals, assertNotEquals, assertRejects, assertThrows } from "@std/assert";
import { FakeSystem } from "@/tests/support/fake_system.ts";
import { Sealer, UnsealError } from "./sealing.ts";

const KEY = Uint8Array.from({ length: 32 }, (_, n) => n).toBase64();
const OTHER_KEY = Uint8Array.from({ length: 32 }, (_, n) => n + 1).toBase64();
const PLACE = ["receipts", "hash", 1];
const PLAIN = new TextEncoder().encode("cs_a-secret-token");

function sealer(key = KEY, purpose = "receipts"): Sealer {
  return new Sealer(key, { purpose, randomBytes: new FakeSystem().randomBytes });
}

Deno.test("Sealer: what was sealed opens again, also nothing at all", async () => {
  for (const plain of [PLAIN, new Uint8Array(), new Uint8Array(100_000).fill(7)]) {
    const sealed = await sealer().seal(plain, PLACE);
    assertEquals(sealed.length, 1 + 12 + plain.length + 16);
    assertEquals(await sealer().open(sealed, PLACE), plain);
  }
});

Deno.test("Sealer: a value sealed long ago still opens: the format is settled", async () => {
  const kept = "AbiPt0QhUpqab2WKP41k0Lsyjtg9/7svprYjFxOzFTKNbXexbq8cgt/mMaLq5Q==";
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
  for (const attempt of tries) await assertRejects(attempt, UnsealError, "does not open");
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

Deno.test("Sealer: a key of another length is refused at once", () => {
  assertThrows(() => sealer(new Uint8Array(16).toBase64()), Error, "32 bytes");
});
