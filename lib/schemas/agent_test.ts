import { assert, assertEquals } from "@std/assert";
import { agentBodyOf, httpTool, rawAgentBody } from "@/tests/support/agents.ts";
import { toIssues } from "./api_error.ts";
import { agentBodySchema, agentPatchSchema } from "./agent.ts";

/** The paths with issues in a body; none if it is valid. */
function faults(change: Record<string, unknown>): string[] {
  const parsed = agentBodySchema.safeParse(rawAgentBody(change));
  return parsed.success ? [] : toIssues(parsed.error).map((issue) => issue.path);
}

const policy = (change: Record<string, unknown>) => ({
  modelPolicy: { provider: "vendor_a", model: "demo", ...change },
});
const budget = (change: Record<string, unknown>) => ({
  budget: { maxCostUsd: 1, maxSteps: 4, wallClockMs: 30_000, ...change },
});
const withTool = (tool: unknown, allowedDomains = ["tools.example.com"]) => ({
  tools: [tool],
  allowedDomains,
});
const list = (length: number, make: (n: number) => unknown) =>
  Array.from({ length }, (_, n) => make(n));

const VALID: [string, Record<string, unknown>][] = [
  ["a name of 1 character", { name: "n" }],
  ["a name of 128 characters", { name: "n".repeat(128) }],
  ["a prompt of 10000 characters", { systemPrompt: "p".repeat(10_000) }],
  ["temperature 0", policy({ temperature: 0 })],
  ["temperature 2", policy({ temperature: 2 })],
  ["1 output token", policy({ maxOutputTokens: 1 })],
  ["16384 output tokens", policy({ maxOutputTokens: 16_384 })],
  ["a cost of 0", budget({ maxCostUsd: 0 })],
  ["a cost of 100", budget({ maxCostUsd: 100 })],
  ["32 steps", budget({ maxSteps: 32 })],
  ["1 second", budget({ wallClockMs: 1_000 })],
  ["2 minutes", budget({ wallClockMs: 120_000 })],
  ["32 domains", { allowedDomains: list(32, (n) => `d${n}.example`) }],
  ["32 origins", { allowedOrigins: list(32, (n) => `https://o${n}.example`) }],
  ["16 tools", {
    tools: list(16, (n) => httpTool({ name: `t${n}` })),
    allowedDomains: ["tools.example.com"],
  }],
  ["a fallback", { fallback: { provider: "vendor_c", model: "m" } }],
];

for (const [what, change] of VALID) {
  Deno.test(`agentBodySchema: accepts ${what}`, () => assertEquals(faults(change), []));
}

const INVALID: [string, Record<string, unknown>, string[]][] = [
  ["an empty name", { name: "" }, ["name"]],
  ["a name of 129 characters", { name: "n".repeat(129) }, ["name"]],
  ["an empty prompt", { systemPrompt: "" }, ["systemPrompt"]],
  ["a prompt of 10001 characters", { systemPrompt: "p".repeat(10_001) }, ["systemPrompt"]],
  ["an unknown field", { color: "red" }, ["color"]],
  ["two unknown fields, each by its name", { a1: 1, b1: 2 }, ["a1", "b1"]],
  ["an unknown field of the policy", policy({ topK: 1 }), ["modelPolicy.topK"]],
  ["an unknown field of the budget", budget({ maxTokens: 1 }), ["budget.maxTokens"]],
  ["another provider", policy({ provider: "vendor_d" }), ["modelPolicy.provider"]],
  ["temperature 2.1", policy({ temperature: 2.1 }), ["modelPolicy.temperature"]],
  ["half a token", policy({ maxOutputTokens: 1.5 }), ["modelPolicy.maxOutputTokens"]],
  ["0 output tokens", policy({ maxOutputTokens: 0 }), ["modelPolicy.maxOutputTokens"]],
  ["16385 output tokens", policy({ maxOutputTokens: 16_385 }), ["modelPolicy.maxOutputTokens"]],
  ["a negative cost", budget({ maxCostUsd: -1 }), ["budget.maxCostUsd"]],
  ["a cost of 101", budget({ maxCostUsd: 101 }), ["budget.maxCostUsd"]],
  ["0 steps", budget({ maxSteps: 0 }), ["budget.maxSteps"]],
  ["33 steps", budget({ maxSteps: 33 }), ["budget.maxSteps"]],
  ["999 ms", budget({ wallClockMs: 999 }), ["budget.wallClockMs"]],
  ["120001 ms", budget({ wallClockMs: 120_001 }), ["budget.wallClockMs"]],
  ["null for an optional field", { fallback: null, allowedOrigins: null }, [
    "fallback",
    "allowedOrigins",
  ]],
  ["half a fallback", { fallback: { provider: "vendor_a" } }, ["fallback.model"]],
  ["a knowledge base that is no UUID", { knowledgeBaseId: "kb1" }, ["knowledgeBaseId"]],
  ["33 domains", { allowedDomains: list(33, (n) => `d${n}.example`) }, ["allowedDomains"]],
  ["a domain of 254 characters", { allowedDomains: [`${"d".repeat(246)}.example`] }, [
    "allowedDomains.0",
  ]],
  ["33 origins", { allowedOrigins: list(33, (n) => `https://o${n}.example`) }, ["allowedOrigins"]],
  ["17 tools", {
    tools: list(17, (n) => httpTool({ name: `t${n}` })),
    allowedDomains: ["tools.example.com"],
  }, ["tools"]],
];

for (const [what, change, paths] of INVALID) {
  Deno.test(`agentBodySchema: rejects ${what}`, () => assertEquals(faults(change), paths));
}

Deno.test("agentBodySchema: rejects a __proto__ field", () => {
  const text = JSON.stringify(rawAgentBody()).replace("{", '{"__proto__":{"name":"x"},');
  assertEquals(agentBodySchema.safeParse(JSON.parse(text)).success, false);
});

Deno.test("agentBodySchema: reports every missing required field", () => {
  const parsed = agentBodySchema.safeParse({});
  assert(!parsed.success);
  assertEquals(toIssues(parsed.error).map((issue) => issue.path), [
    "name",
    "systemPrompt",
    "modelPolicy",
    "budget",
    "tools",
    "allowedDomains",
  ]);
});

Deno.test("agentBodySchema: normalizes domains, origins and the knowledge base's id", () => {
  const agent = agentBodyOf({
    allowedDomains: ["API.Example.COM", "*.Bücher.example", "host.example:8443", "x.example:443"],
    allowedOrigins: ["HTTPS://Shop.Example:443", "http://localhost:3000/"],
    knowledgeBaseId: "ABCDEF00-0000-4000-8000-000000000001",
  });
  assertEquals(agent.allowedDomains, [
    "api.example.com",
    "*.xn--bcher-kva.example",
    "host.example:8443",
    "x.example",
  ]);
  assertEquals(agent.allowedOrigins, ["https://shop.example", "http://localhost:3000"]);
  assertEquals(agent.knowledgeBaseId, "abcdef00-0000-4000-8000-000000000001");
});

Deno.test("agentBodySchema: parsing is idempotent", () => {
  const once = agentBodyOf({ ...withTool(httpTool()), allowedOrigins: ["https://A.example:443"] });
  assertEquals(agentBodySchema.parse(once), once);
});

Deno.test("agentBodySchema: a tool's host that is not allowed is an issue at its URL", () => {
  assertEquals(faults(withTool(httpTool(), ["other.example"])), ["tools.0.request.url"]);
  const mcp = { type: "mcp", name: "m", url: "https://mcp.example/" };
  assertEquals(faults(withTool(mcp, [])), ["tools.0.url"]);
  assertEquals(faults(withTool(httpTool(), ["*.example.com"])), []);
});

Deno.test("agentBodySchema: an invalid tool URL is one issue, not an exception", () => {
  const tool = httpTool({}, { url: "nonsense" });
  assertEquals(faults(withTool(tool)), ["tools.0.request.url"]);
});

Deno.test("agentBodySchema: a duplicate tool name is an issue at the second tool", () => {
  const tools = [httpTool(), httpTool({ description: "another" })];
  assertEquals(faults({ tools, allowedDomains: ["tools.example.com"] }), ["tools.1.name"]);
});

Deno.test("agentPatchSchema: every field is optional; unknown fields are rejected", () => {
  assertEquals(agentPatchSchema.parse({}), {});
  assertEquals(agentPatchSchema.parse({ budget: { maxSteps: 3 } }), { budget: { maxSteps: 3 } });
  assertEquals(agentPatchSchema.safeParse({ color: 1 }).success, false);
  assertEquals(agentPatchSchema.safeParse({ budget: { tokens: 1 } }).success, false);
});

Deno.test("agentPatchSchema: null clears the fallback and nothing else", () => {
  assertEquals(agentPatchSchema.parse({ fallback: null }), { fallback: null });
  for (const field of Object.keys(rawAgentBody({ allowedOrigins: [], knowledgeBaseId: "" }))) {
    assertEquals(agentPatchSchema.safeParse({ [field]: null }).success, false, field);
  }
});
