import { assertEquals } from "@std/assert";
import { httpTool } from "@/tests/support/agents.ts";
import { toIssues } from "./api_error.ts";
import { toolDefinitionSchema } from "./tool_definition.ts";

function faults(tool: unknown): string[] {
  const parsed = toolDefinitionSchema.safeParse(tool);
  return parsed.success ? [] : toIssues(parsed.error).map((issue) => issue.path);
}

/** A parameters schema whose JSON is exactly `bytes` long. */
function parametersOf(bytes: number, filler = "x") {
  const empty = JSON.stringify({ type: "object", title: "" }).length;
  const width = new TextEncoder().encode(filler).length;
  return { type: "object", title: filler.repeat((bytes - empty) / width) };
}

Deno.test("toolDefinitionSchema: parameters are at most 16 KiB of UTF-8", () => {
  assertEquals(faults(httpTool({ parameters: parametersOf(16_384) })), []);
  assertEquals(faults(httpTool({ parameters: parametersOf(16_385) })), ["parameters"]);
  const wide = parametersOf(16_384 + 2, "é");
  assertEquals(faults(httpTool({ parameters: wide })), ["parameters"]);
});

Deno.test("toolDefinitionSchema: parameters must describe an object", () => {
  assertEquals(faults(httpTool({ parameters: { type: "string" } })), ["parameters.type"]);
  assertEquals(faults(httpTool({ parameters: {} })), ["parameters.type"]);
  assertEquals(faults(httpTool({ parameters: [] })), ["parameters"]);
});

Deno.test("toolDefinitionSchema: a name starts with a letter and has at most 64 characters", () => {
  for (const name of ["a", "A-b_9", "t".repeat(64)]) assertEquals(faults(httpTool({ name })), []);
  for (const name of ["", "9a", "_a", "a b", "a\n", "t".repeat(65)]) {
    assertEquals(faults(httpTool({ name })), ["name"], JSON.stringify(name));
  }
});

Deno.test("toolDefinitionSchema: the URL's host is literal, with http or https", () => {
  const refused = [
    "ftp://tools.example.com/",
    "//tools.example.com/",
    "https://",
    "https://{{host}}/",
    "https://user@tools.example.com/",
    "https://tools.example.com\\@evil.example/",
    "https://tools.example.com/?k={{secret.KEY}}",
    "https://tools example.com/",
  ];
  for (const url of refused) assertEquals(faults(httpTool({}, { url })), ["request.url"], url);
  assertEquals(faults(httpTool({}, { url: "https://tools.example.com/{{id}}" })), []);
});

Deno.test("toolDefinitionSchema: headers and query must not contain line breaks", () => {
  assertEquals(faults(httpTool({}, { headers: { "x-a": "{{secret.KEY}}" } })), []);
  assertEquals(faults(httpTool({}, { headers: { "x-a": "a\r\nx-b: c" } })), [
    "request.headers.x-a",
  ]);
  assertEquals(faults(httpTool({}, { headers: { "x a": "b" } })), ["request.headers.x a"]);
  assertEquals(faults(httpTool({}, { query: { q: "a\nb" } })), ["request.query.q"]);
});

Deno.test("toolDefinitionSchema: time and size are limited", () => {
  assertEquals(faults(httpTool({ timeoutMs: 100, maxResponseBytes: 1 })), []);
  assertEquals(faults(httpTool({ timeoutMs: 30_000, maxResponseBytes: 262_144 })), []);
  assertEquals(faults(httpTool({ timeoutMs: 99 })), ["timeoutMs"]);
  assertEquals(faults(httpTool({ timeoutMs: 30_001 })), ["timeoutMs"]);
  assertEquals(faults(httpTool({ maxResponseBytes: 262_145 })), ["maxResponseBytes"]);
});

Deno.test("toolDefinitionSchema: type selects the shape; unknown fields are rejected", () => {
  assertEquals(faults(httpTool({ type: "function" })), ["type"]);
  assertEquals(faults(httpTool({ strict: true })), ["strict"]);
  const mcp = { type: "mcp", name: "m", url: "https://mcp.example/", allow: ["a"] };
  assertEquals(faults(mcp), []);
  assertEquals(faults({ ...mcp, description: "d" }), ["description"]);
});
