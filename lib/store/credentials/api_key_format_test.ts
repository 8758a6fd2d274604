import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { newApiKey, parseApiKey, randomBase62, toBase62 } from "./api_key_format.ts";

Deno.test("newApiKey: has the documented form and parses back into its parts", () => {
  const { key, prefix, secret } = newApiKey(new FakeRuntime().randomBytes);
  assertMatch(key, /^ck_live_[0-9A-Za-z]{8}_[0-9A-Za-z]{32}$/);
  assertEquals(parseApiKey(key), { prefix, secret });
});

Deno.test("newApiKey: no two are alike", () => {
  const { randomBytes } = new FakeRuntime();
  assertNotEquals(newApiKey(randomBytes).secret, newApiKey(randomBytes).secret);
});

Deno.test("parseApiKey: detects any mistyped character of the secret", () => {
  const { key } = newApiKey(new FakeRuntime().randomBytes);
  for (let at = key.length - 32; at < key.length; at++) {
    const typo = key.slice(0, at) + (key[at] === "a" ? "b" : "a") + key.slice(at + 1);
    assertEquals(parseApiKey(typo), undefined, `character ${at}`);
  }
});

Deno.test("parseApiKey: rejects other formats", () => {
  const { key } = newApiKey(new FakeRuntime().randomBytes);
  const wrong = ["", " " + key, key + "\n", key.slice(1), key + "0", key.replace("live", "test")];
  for (const text of wrong) assertEquals(parseApiKey(text), undefined, JSON.stringify(text));
});

Deno.test("randomBase62: passes over bytes that would favour some characters", () => {
  const batches = [[255, 250, 248, 247, 0, 61], [62, 1]];
  const draw = () => Uint8Array.from(batches.shift() ?? [2, 2, 2, 2, 2, 2]);
  assertEquals(randomBase62(5, draw), "z0z01");
});

Deno.test("toBase62: pads to its width", () => {
  assertEquals(toBase62(0, 6), "000000");
  assertEquals(toBase62(61, 2), "0z");
  assertEquals(toBase62(0xffffffff, 6), "4gfFC3");
});
