import { assert, assertEquals, assertThrows } from "@std/assert";
import { z } from "zod";
import { ApiError, parseOrThrow, validationError } from "./api_error.ts";
import { ERROR_STATUS, type ErrorCode } from "./error_codes.ts";

const schema = z.strictObject({ name: z.string().min(1), list: z.array(z.int()) });

Deno.test("ApiError: its status is its code's", () => {
  for (const code of Object.keys(ERROR_STATUS) as ErrorCode[]) {
    assertEquals(new ApiError(code, "m").status, ERROR_STATUS[code]);
  }
});

Deno.test("validationError: the message has the first issue, the details have all", () => {
  const issues = [
    { path: "a.0", code: "c", message: "is wrong" },
    { path: "b", code: "c", message: "too" },
  ];
  assertEquals([validationError(issues).message, validationError(issues).details], [
    "a.0: is wrong",
    { issues },
  ]);
  assertEquals(
    validationError([{ path: "", code: "c", message: "is wrong" }]).message,
    "body: is wrong",
  );
});

Deno.test("parseOrThrow: reports every issue, each unknown field by its path", () => {
  const value = { name: "", list: [1, "2"], extra: 1, more: 2 };
  const error = assertThrows(() => parseOrThrow(schema, value), ApiError);
  assertEquals(error.code, "schema_validation_failed");
  const issues = error.details?.issues as { path: string; code: string }[];
  assertEquals(issues.map((issue) => issue.path), ["name", "list.1", "extra", "more"]);
  assertEquals(issues.at(-1)?.code, "unrecognized_keys");
});

Deno.test("parseOrThrow: a body that is not an object is an issue of the body", () => {
  for (const value of [null, [], "text", 7, undefined]) {
    const error = assertThrows(() => parseOrThrow(schema, value), ApiError);
    assertEquals((error.details?.issues as { path: string }[])[0]?.path, "");
  }
});

Deno.test("parseOrThrow: returns the parsed value", () => {
  assertEquals(parseOrThrow(schema, { name: "n", list: [] }), { name: "n", list: [] });
});

Deno.test("parseOrThrow: reports at most 100 issues", () => {
  const extras = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`extra${n}`, n]));
  const error = assertThrows(
    () => parseOrThrow(schema, { name: "n", list: [], ...extras }),
    ApiError,
  );
  assertEquals((error.details?.issues as unknown[]).length, 100);
});

Deno.test("parseOrThrow: many issues below a long name do not multiply the name", () => {
  const value = { ["n".repeat(10_000)]: Array(5_000).fill("\0") };
  const error = assertThrows(() => parseOrThrow(schema, value), ApiError);
  assertEquals((error.details?.issues as unknown[]).length, 100);
  assert(JSON.stringify([error.details, error.message]).length < 100_000);
});

Deno.test("parseOrThrow: a key named __proto__ is rejected at any depth", () => {
  const schema = z.record(z.string(), z.json());
  for (const text of ['{"__proto__":1}', '{"a":{"__proto__":{}}}', '{"a":[{"__proto__":1}]}']) {
    const error = assertThrows(() => parseOrThrow(schema, JSON.parse(text)), ApiError);
    assertEquals(error.code, "schema_validation_failed");
  }
});
