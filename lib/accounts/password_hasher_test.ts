import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { realSystem } from "../system.ts";
import { PasswordHasher } from "./password_hasher.ts";

const hasher = new PasswordHasher(realSystem);

Deno.test("PasswordHasher.hash salts each hash and stores its parameters", async () => {
  const [first, second] = await Promise.all([hasher.hash("the same"), hasher.hash("the same")]);
  assertMatch(first, /^scrypt\$32768\$8\$1\$/);
  assertNotEquals(first, second);
  assert(await hasher.verify("the same", first));
});

Deno.test("PasswordHasher.verify reads hashes of other costs, in either normal form", async () => {
  const stored = "scrypt$1024$8$1$AAAAAAAAAAAAAAAAAAAAAA$" +
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
  assertEquals(await hasher.verify("anything", stored), false);
  const composed = await hasher.hash("caf\u00e9 au lait");
  assert(await hasher.verify("cafe\u0301 au lait", composed));
});

Deno.test("PasswordHasher.verify is false without a hash or with a broken one", async () => {
  assertEquals(await hasher.verify("anything", undefined), false);
  assertEquals(await hasher.verify("anything", "scrypt$oops"), false);
});
