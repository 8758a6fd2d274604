import { assertEquals, assertMatch } from "@std/assert";
import { describeScript } from "./script_bundle.ts";

const BODY = new TextEncoder().encode("console.log(1);\n");

Deno.test("describeScript: integrity and hash12 are of the served bytes", async () => {
  const bundle = await describeScript(BODY);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-384", BODY));
  assertEquals(bundle.integrity, `sha384-${btoa(String.fromCharCode(...digest))}`);
  assertMatch(bundle.hash12, /^[0-9a-f]{12}$/);
  assertEquals(digest.toHex().startsWith(bundle.hash12), true);
  assertEquals(bundle.bytes, BODY.length);
  assertEquals(bundle.version, "v1");
});

Deno.test("describeScript: a later write to the input does not change the body", async () => {
  const input = BODY.slice();
  const bundle = await describeScript(input);
  input.fill(0);
  assertEquals(bundle.body, BODY);
});

Deno.test("describeScript: one changed byte changes both names", async () => {
  const other = BODY.slice();
  other[0] = 0x43;
  const [a, b] = [await describeScript(BODY), await describeScript(other)];
  assertEquals(a.integrity === b.integrity, false);
  assertEquals(a.hash12 === b.hash12, false);
});
