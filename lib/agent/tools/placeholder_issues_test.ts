import { assertEquals } from "@std/assert";
import { httpToolSchema } from "../../schemas/tool_definition.ts";
import { httpTool } from "@/tests/support/agents.ts";
import { placeholderIssues } from "./placeholder_issues.ts";

const REQUEST = {
  method: "POST",
  url: "https://tools.example.com/{{a}}/x?b={{b}}",
  headers: { "x-c": "{{c}}", authorization: "{{secret.KEY}}" },
  query: { d: "{{d}} and {{d}}" },
  body: { list: ["{{e}}", { text: "to {{f}}" }], "{{name}}": "{{ a blank }}" },
};

function pathsOf(parameters: Record<string, unknown>): string[] {
  const tool = httpToolSchema.parse(httpTool({ parameters, request: REQUEST }));
  return placeholderIssues(tool, "request").map(({ path }) => path);
}

/** An object schema that names these arguments. */
function naming(...names: string[]) {
  return { type: "object", properties: Object.fromEntries(names.map((name) => [name, {}])) };
}

Deno.test("placeholderIssues: each place that names what is no parameter, once for each name", () => {
  assertEquals(pathsOf(naming()), [
    "request.url",
    "request.url",
    "request.headers.x-c",
    "request.query.d",
    "request.body.list.0",
    "request.body.list.1.text",
  ]);
  assertEquals(pathsOf(naming("a", "b", "d", "e", "f")), ["request.headers.x-c"]);
  assertEquals(pathsOf(naming("a", "b", "c", "d", "e", "f")), []);
});

Deno.test("placeholderIssues: alternatives, definitions and required words name arguments too", () => {
  const parameters = {
    ...naming("a"),
    oneOf: [naming("b"), { required: ["c"] }],
    $defs: { more: naming("d", "e", "f") },
    allOf: [{ $ref: "#/$defs/more" }],
    additionalProperties: false,
  };
  assertEquals(pathsOf(parameters), []);
});

Deno.test("placeholderIssues: parameters that take any name on purpose leave nothing to find", () => {
  assertEquals(pathsOf({ type: "object", additionalProperties: { type: "string" } }), []);
  assertEquals(pathsOf({ type: "object", patternProperties: { "^[a-f]$": {} } }), []);
});
