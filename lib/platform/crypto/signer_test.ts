import { assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { createHmac } from "node:crypto";
import { HmacKey, sha256, Signer } from "./signer.ts";

Deno.test("Signer: the first secret signs, every secret verifies", async () => {
  const [before, after] = [new Signer(["old"]), new Signer(["new", "old"])];
  const signedBefore = await before.sign("text");
  const signedAfter = await after.sign("text");
  assertEquals(signedAfter, await new Signer(["new"]).sign("text"));
  assertNotEquals(signedAfter, signedBefore);
  assertEquals(await after.verify("text", signedBefore), true);
  assertEquals(await after.verify("text", signedAfter), true);
  assertEquals(await before.verify("text", signedAfter), false);
});

Deno.test("Signer: another text, another hash and an empty hash do not verify", async () => {
  const signer = new Signer(["secret"]);
  const hash = await signer.sign("text");
  assertEquals(await signer.verify("Text", hash), false);
  assertEquals(await signer.verify("text", hash.replace(/.$/, "_")), false);
  assertEquals(await signer.verify("text", ""), false);
  assertEquals(await signer.verify("text", `${hash}x`), false);
});

Deno.test("Signer: is HMAC-SHA256, in base64url", async () => {
  // RFC 4231, test case 2.
  const hash = await new Signer(["Jefe"]).sign("what do ya want for nothing?");
  const bytes = Uint8Array.fromBase64(hash, { alphabet: "base64url" });
  const expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
  assertEquals(bytes.toHex(), expected);
});

Deno.test("HmacKey: is HMAC-SHA256 for keys and texts of any length, however often it signs", () => {
  for (const size of [0, 1, 32, 63, 64, 65, 200]) {
    const key = crypto.getRandomValues(new Uint8Array(size));
    const own = new HmacKey(key);
    for (const text of ["", "text", "größer 👩‍🚀", "x".repeat(10_000), "text"]) {
      assertEquals(own.sign(text), createHmac("sha256", key).update(text).digest("base64url"));
    }
  }
});

Deno.test("Signer: at least one secret is required", () => {
  assertThrows(() => new Signer([]), Error, "at least one");
});

Deno.test("sha256: is the digest in base64url without padding", async () => {
  assertEquals(await sha256(""), "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU");
});
