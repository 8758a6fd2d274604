import { assertEquals } from "@std/assert";
import { Signer } from "./signer.ts";
import { HashCache } from "./hash_cache.ts";

Deno.test("HashCache: returns the signer's hashes and computes each once", async () => {
  const signer = new Signer(["a secret"]);
  let signed = 0;
  const hashes = new HashCache({ sign: (text) => (signed++, signer.sign(text)) });
  for (const text of ["10.0.0.1", "10.0.0.2", "10.0.0.1"]) {
    assertEquals(await hashes.sign(text), await signer.sign(text));
  }
  assertEquals(signed, 2);
});

Deno.test("HashCache: evicts the oldest entries", async () => {
  let signed = 0;
  const hashes = new HashCache({ sign: (text) => Promise.resolve(`${++signed} ${text}`) });
  for (let n = 0; n <= 10_000; n++) await hashes.sign(`address ${n}`);
  assertEquals(await hashes.sign("address 1"), "2 address 1");
  assertEquals(await hashes.sign("address 0"), "10002 address 0");
});
