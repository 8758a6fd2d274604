import { assertEquals } from "@std/assert";
import { limitsInWords, nameOfRef } from "./schema_words.ts";

Deno.test("limitsInWords: ranges are told with their unit, one end where there is one", () => {
  assertEquals(limitsInWords({ type: "string", minLength: 1, maxLength: 128 }), [
    "1-128 characters",
  ]);
  assertEquals(limitsInWords({ type: "array", maxItems: 16 }), ["at most 16 items"]);
  assertEquals(limitsInWords({ type: "integer", exclusiveMinimum: 0 }), ["more than 0"]);
  assertEquals(limitsInWords({ type: "integer", minimum: 1, maximum: 100, default: 20 }), [
    "1-100",
    "20 unless told",
  ]);
  assertEquals(limitsInWords({ type: "string", pattern: "^a$" }), ["matches ^a$"]);
  assertEquals(limitsInWords({ type: "boolean" }), []);
});

Deno.test("nameOfRef: the last part of the reference", () => {
  assertEquals(nameOfRef("#/components/schemas/Agent"), "Agent");
});
