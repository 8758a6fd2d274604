import { assertEquals } from "@std/assert";
import {
  formatPairs,
  NEW_HTTP_TOOL,
  NEW_MCP_SERVER,
  parsePairs,
  parseTools,
  sampleArguments,
  toParameterRows,
  toParameterSchema,
  withChange,
} from "./tool_draft.ts";

Deno.test("readTools: an array of tools is read, anything else is for the JSON view", () => {
  const tools = [NEW_HTTP_TOOL, NEW_MCP_SERVER];
  assertEquals(parseTools(JSON.stringify(tools)), tools);
  assertEquals(parseTools(" "), []);
  for (const text of ["{", "{}", "[1]", `[{"type":"ftp"}]`, `[{"type":"http"}]`]) {
    assertEquals(parseTools(text), undefined, text);
  }
});

Deno.test("toRows, fromRows: a simple schema goes there and back", () => {
  const schema = {
    type: "object",
    properties: { q: { type: "string", description: "What." }, n: { type: "integer" } },
    required: ["q"],
  };
  assertEquals(toParameterSchema(toParameterRows(schema)!), schema);
  assertEquals(sampleArguments(schema), { q: "", n: 0 });
});

Deno.test("toRows: a schema that says more than rows can is left alone", () => {
  const property = (more: object) => ({ type: "object", properties: { a: more } });
  for (
    const schema of [
      undefined,
      { type: "object", additionalProperties: false },
      { type: "object", required: ["a"] },
      property({ type: "array" }),
      property({ type: "string", enum: ["x"] }),
      property({ type: "string", description: 1 }),
    ]
  ) assertEquals(toParameterRows(schema), undefined, JSON.stringify(schema));
});

Deno.test("toPairs, fromPairs: a value may hold colons, and no line is no map", () => {
  const map = { Accept: "text/plain", "x-time": "12:30" };
  assertEquals(parsePairs(formatPairs(map)), map);
  assertEquals(parsePairs("alone\n\n"), { alone: "" });
  assertEquals(parsePairs(" \n"), undefined);
  assertEquals(withChange({ a: 1, b: 2 }, { b: undefined, c: 3 }), { a: 1, c: 3 } as never);
});
