import { assertEquals } from "@std/assert";
import { httpToolSchema, toolDefinitionSchema } from "../../schemas/tool_definition.ts";
import { httpTool } from "@/tests/support/agents.ts";
import { placeholderIssues, toolIssues } from "./tool_issues.ts";

const tool = (name: string, parameters: Record<string, unknown> = declaring("q")) =>
  toolDefinitionSchema.parse(httpTool({ name, parameters }));

/** An object schema that declares these arguments. */
function declaring(...names: string[]) {
  return { type: "object", properties: Object.fromEntries(names.map((name) => [name, {}])) };
}

Deno.test("toolIssues: issues have paths relative to the agent", async () => {
  const wrong = tool("b", { type: "object", properties: { a: { minimum: "1" } } });
  const issues = await toolIssues([tool("a"), wrong]);
  assertEquals(issues.map(({ path, code }) => [path, code]), [
    ["tools.1.parameters.properties.a.minimum", "invalid_schema"],
  ]);
});

Deno.test("toolIssues: unchanged tools are skipped", async () => {
  const wrong = tool("b", { type: "object", properties: { a: { minimum: "1" } } });
  assertEquals(await toolIssues([tool("a"), wrong], { unchanged: [wrong] }), []);
  const renamed = { ...wrong, name: "c" };
  const issues = await toolIssues([wrong, renamed], { unchanged: [wrong] });
  assertEquals(issues.map(({ path }) => path), ["tools.1.parameters.properties.a.minimum"]);
});

Deno.test("toolIssues: yields between two schemas", async () => {
  let turns = 0;
  const yieldToOthers = () => {
    turns++;
    return Promise.resolve();
  };
  await toolIssues([tool("a"), tool("b"), tool("c")], { yieldToOthers });
  assertEquals(turns, 2);
});

Deno.test("toolIssues: rejects a placeholder in a text of unknown format", async () => {
  const faultsOf = async (body: unknown, headers: Record<string, string>) => {
    const request = { method: "POST", headers, body };
    const parameters = declaring("q", "a", "b", "type");
    const issues = await toolIssues([
      toolDefinitionSchema.parse(httpTool({ parameters }, request)),
    ]);
    return issues.map(({ path, code }) => `${path} ${code}`);
  };
  const refused = ["tools.0.request.body unknown_encoding"];
  for (const type of ["text/csv", "text/html", "{{type}}", "{{a}}/xml", "multipart/form-data"]) {
    const headers = { "Content-Type": type };
    assertEquals(await faultsOf("a,{{b}}", headers), refused, type);
    assertEquals(await faultsOf("a,{{ b }}", headers), [], type);
    assertEquals(await faultsOf("{{b}}", headers), [], type);
    assertEquals(await faultsOf({ a: "x {{b}}" }, headers), [], type);
  }
  const known = ["text/plain", "text/xml; charset=utf-8", "application/x-www-form-urlencoded"];
  for (const type of [...known, "application/vnd.api+json", "application/x-ndjson"]) {
    assertEquals(await faultsOf("a,{{b}}", { "content-type": type }), [], type);
  }
  assertEquals(await faultsOf("a,{{b}}", {}), []);
  const twice = { "content-type": "text/plain", "Content-Type": "text/csv" };
  assertEquals(await faultsOf("a,{{b}}", twice), refused);
});

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

Deno.test("placeholderIssues: reports each placeholder that is not a parameter once per place", () => {
  assertEquals(pathsOf(declaring()), [
    "request.url",
    "request.url",
    "request.headers.x-c",
    "request.query.d",
    "request.body.list.0",
    "request.body.list.1.text",
  ]);
  assertEquals(pathsOf(declaring("a", "b", "d", "e", "f")), ["request.headers.x-c"]);
  assertEquals(pathsOf(declaring("a", "b", "c", "d", "e", "f")), []);
});

Deno.test("placeholderIssues: alternatives, definitions and required declare arguments too", () => {
  const parameters = {
    ...declaring("a"),
    oneOf: [declaring("b"), { required: ["c"] }],
    $defs: { more: declaring("d", "e", "f") },
    allOf: [{ $ref: "#/$defs/more" }],
    additionalProperties: false,
  };
  assertEquals(pathsOf(parameters), []);
});

Deno.test("placeholderIssues: parameters that accept any name have no issues", () => {
  assertEquals(pathsOf({ type: "object", additionalProperties: { type: "string" } }), []);
  assertEquals(pathsOf({ type: "object", patternProperties: { "^[a-f]$": {} } }), []);
});
