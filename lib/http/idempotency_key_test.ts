import { assertEquals, assertNotEquals, assertRejects, assertThrows } from "@std/assert";
import { ApiError } from "../schemas/api_error.ts";
import {
  idempotencyScope,
  readIdempotencyKey,
  requestFingerprint,
  SESSION_KEY_MIN_LENGTH,
  VOLATILE_CHAT_FIELDS,
} from "./idempotency_key.ts";

function request(...keys: string[]): Request {
  const headers = keys.map((key): [string, string] => ["Idempotency-Key", key]);
  return new Request("http://127.0.0.1/", { method: "POST", headers });
}

Deno.test("readIdempotencyKey: is 1 to 255 visible characters, or absent", () => {
  assertEquals(readIdempotencyKey(request()), undefined);
  for (const key of ["k", "k".repeat(255), '"8e03978e-40d5"', "!~{}"]) {
    assertEquals(readIdempotencyKey(request(key)), key);
  }
});

Deno.test("readIdempotencyKey: an invalid key is a 400 with the header's name", () => {
  for (const keys of [[""], ["k".repeat(256)], ["a b"], ["a\tb"], ["é"], ["one", "two"]]) {
    const error = assertThrows(() => readIdempotencyKey(request(...keys)), ApiError);
    assertEquals(error.code, "schema_validation_failed");
    assertEquals((error.details?.issues as { path: string }[])[0]?.path, "Idempotency-Key");
  }
});

Deno.test("readIdempotencyKey: sessions need longer keys", () => {
  const min = { min: SESSION_KEY_MIN_LENGTH };
  assertEquals(readIdempotencyKey(request("k".repeat(16)), min), "k".repeat(16));
  assertThrows(() => readIdempotencyKey(request("k".repeat(15)), min), ApiError, "16-255");
});

Deno.test("requestFingerprint: ignores the order of fields but not their values", async () => {
  const one = await requestFingerprint({ a: 1, b: { c: 2, d: [3] } });
  assertEquals(await requestFingerprint({ b: { d: [3], c: 2 }, a: 1 }), one);
  assertNotEquals(await requestFingerprint({ b: { d: [3], c: 2 }, a: 2 }), one);
  assertNotEquals(await requestFingerprint({ b: { d: [3], c: 2 }, a: 1, e: null }), one);
});

Deno.test("requestFingerprint: omits top-level fields only", async () => {
  const without = { without: VOLATILE_CHAT_FIELDS };
  const plain = await requestFingerprint({ a: 1 }, without);
  assertEquals(
    await requestFingerprint({ sessionToken: "x", a: 1, requestId: "y" }, without),
    plain,
  );
  assertNotEquals(await requestFingerprint({ a: 1, requestId: "y" }), plain);
  assertNotEquals(
    await requestFingerprint({ a: { requestId: "x" } }, without),
    await requestFingerprint({ a: { requestId: "y" } }, without),
  );
  for (const value of [null, 1, "x", [1]]) await requestFingerprint(value, without);
});

Deno.test("requestFingerprint: deeply nested JSON is a 400, not a stack overflow", async () => {
  const deep: unknown = JSON.parse("[".repeat(100_000) + "]".repeat(100_000));
  await assertRejects(() => requestFingerprint(deep), ApiError, "nested deeper");
});

Deno.test("idempotencyScope: depends on route, caller and key", async () => {
  const parts = { route: "POST /v1/x", caller: ["key", "1"], key: "k" };
  const scopes = await Promise.all([
    idempotencyScope(parts),
    idempotencyScope({ ...parts, route: "POST /v1/y" }),
    idempotencyScope({ ...parts, caller: ["key", "2"] }),
    idempotencyScope({ ...parts, caller: ["key"], key: "1k" }),
    idempotencyScope({ ...parts, key: "K" }),
  ]);
  assertEquals(new Set(scopes).size, 5);
  assertEquals(await idempotencyScope({ ...parts }), scopes[0]);
});
