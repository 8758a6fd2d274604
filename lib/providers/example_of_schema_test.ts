import { assert, assertEquals } from "@std/assert";
import { exampleOfSchema } from "./example_of_schema.ts";
import type { JsonSchema } from "./model.ts";

Deno.test("exampleOfSchema: objects, lists and choices, with the text where a text may be", () => {
  const schema = {
    type: "object",
    properties: {
      answer: { type: "string" },
      kind: { enum: ["order", "return"] },
      parts: { type: "array", minItems: 2, items: { anyOf: [{ type: "integer", minimum: 3 }] } },
      note: { type: ["null", "string"] },
    },
  };
  assertEquals(exampleOfSchema(schema, "Hello."), {
    answer: "Hello.",
    kind: "order",
    parts: [3, 3],
    note: null,
  });
});

Deno.test("exampleOfSchema: lists within lists stay small", () => {
  const nested = Array.from({ length: 6 }).reduce<JsonSchema>(
    (items) => ({ type: "array", minItems: 10, items }),
    { type: "string", minLength: 20 },
  );
  assert(JSON.stringify(exampleOfSchema(nested, "Hello.")).length < 100_000);
});
