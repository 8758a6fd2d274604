import { assertEquals, assertNotEquals, assertRejects, assertThrows } from "@std/assert";
import { ApiError } from "../errors.ts";
import {
  fingerprintOf,
  idempotencyKey,
  idempotencyScope,
  SESSION_KEY_MIN_LENGTH,
  VOLATILE_CHAT_FIELDS,
} from "./idempotency_key.ts";

function request(...keys: string[]): Request {
  const headers = keys.map((key): [string, string] => ["Idempotency-Key", key]);
  return new Request("http://127.0.0.1/", { method: "POST", headers });
}

Deno.test("idempotencyKey: is 1 to 255 visible characters, or absent", () => {
  assertEquals(idempotencyKey(request()), undefined);
  for (const key of ["k", "k".repeat(255), '"8e03978e-40d5"', "!~{}"]) {
    assertEquals(idempotencyKey(request(key)), key);
  }
});

Deno.test("idempotencyKey: anything else is a 400 that names the header", () => {
  for (const keys of [[""], ["k".repeat(256)], ["a b"], ["a\tb"], ["é"], ["one", "two"]]) {
    const error = assertThrows(() => idempotencyKey(request(...keys)), ApiError);
    assertEquals(error.code, "schema_validation_failed");
    assertEquals((error.details?.issues as { path: string }[])[0]?.path, "Idempotency-Key");
  }
});

Deno.test("idempotencyKey: sessions draw longer ones", () => {
  const min = { min: SESSION_KEY_MIN_LENGTH };
  assertEquals(idempotencyKey(request("k".repeat(16)), min), "k".repeat(16));
  assertThrows(() => idempotencyKey(request("k".repeat(15)), min), ApiError, "16-255");
});

Deno.test("fingerprintOf: the order of fields does not count, their values do", async () => {
  const one = await fingerprintOf({ a: 1, b: { c: 2, d: [3] } });
  assertEquals(await fingerprintOf({ b: { d: [3], c: 2 }, a: 1 }), one);
  assertNotEquals(await fingerprintOf({ b: { d: [3], c: 2 }, a: 2 }), one);
  assertNotEquals(await fingerprintOf({ b: { d: [3], c: 2 }, a: 1, e: null }), one);
});

Deno.test("fingerprintOf: leaves out fields of the top level alone", async () => {
  const without = { without: VOLATILE_CHAT_FIELDS };
  const plain = await fingerprintOf({ a: 1 }, without);
  assertEquals(await fingerprintOf({ sessionToken: "x", a: 1, requestId: "y" }, without), plain);
  assertNotEquals(await fingerprintOf({ a: 1, requestId: "y" }), plain);
  assertNotEquals(
    await fingerprintOf({ a: { requestId: "x" } }, without),
    await fingerprintOf({ a: { requestId: "y" } }, without),
  );
  for (const value of [null, 1, "x", [1]]) await fingerprintOf(value, without);
});

Deno.test("fingerprintOf: JSON nested without end is a 400, not an overflow", async () => {
  const deep: unknown = JSON.parse("[".repeat(100_000) + "]".repeat(100_000));
  await assertRejects(() => fingerprintOf(deep), ApiError, "nested deeper");
});

Deno.test("idempotencyScope: route, caller and key each make another one", async () => {
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
