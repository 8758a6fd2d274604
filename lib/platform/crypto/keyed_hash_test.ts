import { assertEquals, assertNotEquals } from "@std/assert";
import { KeyedHash } from "./keyed_hash.ts";

const KEY = Uint8Array.from({ length: 64 }, (_, n) => n);

Deno.test("KeyedHash: is BLAKE2b under its key", () => {
  // blake2b-kat.txt of the reference implementation: no input, the key 00 01 … 3f.
  const known = "10ebb67700b1868efb4417987acf4690ae9d972fb7a590c2f02871799aaa4786" +
    "b5e996e8f0f4eb981fc214b005f42d2ff4233499391653df7aefcbc13fc51568";
  const digest = new KeyedHash(KEY).digest("", 64);
  assertEquals(Uint8Array.fromBase64(digest, { alphabet: "base64url" }).toHex(), known);
});

Deno.test("KeyedHash: other texts and keys have other digests", () => {
  const [one, other] = [new KeyedHash(KEY.slice(0, 32)), new KeyedHash(KEY.slice(32))];
  assertEquals(one.digest("größer 👩‍🚀"), one.digest("größer 👩‍🚀"));
  assertNotEquals(one.digest("text"), one.digest("texts"));
  assertNotEquals(one.digest("text"), other.digest("text"));
});
