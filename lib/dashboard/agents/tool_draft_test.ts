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

Deno.test("parseTools: parses an array of tools; anything else is undefined", () => {
  const tools = [NEW_HTTP_TOOL, NEW_MCP_SERVER];
  assertEquals(parseTools(JSON.stringify(tools)), tools);
  assertEquals(parseTools(" "), []);
  for (const text of ["{", "{}", "[1]", `[{"type":"ftp"}]`, `[{"type":"http"}]`]) {
    assertEquals(parseTools(text), undefined, text);
  }
});

Deno.test("toParameterRows, toParameterSchema: a simple schema survives a round trip", () => {
  const schema = {
    type: "object",
    properties: { q: { type: "string", description: "What." }, n: { type: "integer" } },
    required: ["q"],
  };
  assertEquals(toParameterSchema(toParameterRows(schema)!), schema);
  assertEquals(sampleArguments(schema), { q: "", n: 0 });
});

Deno.test("toParameterRows: is undefined for a schema that rows cannot represent", () => {
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

Deno.test("formatPairs, parsePairs: values may contain colons; no lines are undefined", () => {
  const map = { Accept: "text/plain", "x-time": "12:30" };
  assertEquals(parsePairs(formatPairs(map)), map);
  assertEquals(parsePairs("alone\n\n"), { alone: "" });
  assertEquals(parsePairs(" \n"), undefined);
  assertEquals(withChange({ a: 1, b: 2 }, { b: undefined, c: 3 }), { a: 1, c: 3 } as never);
});
