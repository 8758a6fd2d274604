import { assertEquals } from "@std/assert";
import { httpTool } from "./support/agent_bodies.ts";
import { expectInvalid } from "./support/expect_response.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { agentBody, TestService } from "./support/service.ts";

const POST = "POST";

Deno.test("POST /v1/agents normalizes domains and origins as browsers write them", async () => {
  await using service = await TestService.start();
  const agent = await service.agent(await service.key(), {
    allowedDomains: ["API.Example.com", "*.Bücher.example", "example.com:443"],
    allowedOrigins: ["HTTPS://Shop.Example.com:443", "https://shop.example.com:8443/"],
  });
  assertEquals(agent.allowedDomains, ["api.example.com", "*.xn--bcher-kva.example", "example.com"]);
  assertEquals(agent.allowedOrigins, ["https://shop.example.com", "https://shop.example.com:8443"]);
});

Deno.test("POST /v1/agents accepts the minimum and maximum of every field", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  const low = {
    name: "n",
    systemPrompt: "s",
    modelPolicy: { provider: "vendor_c", model: "demo", temperature: 0, maxOutputTokens: 1 },
    budget: { maxCostUsd: 0, maxSteps: 1, wallClockMs: 1000 },
    allowedOrigins: [],
  };
  const high = {
    name: "n".repeat(128),
    systemPrompt: "s".repeat(10_000),
    modelPolicy: { provider: "vendor_b", model: "demo", temperature: 2, maxOutputTokens: 16_384 },
    budget: { maxCostUsd: 100, maxSteps: 32, wallClockMs: 120_000 },
    tools: Array.from({ length: 16 }, (_, n) => httpTool({ name: `tool${n}` })),
    allowedDomains: ["api.example.com", ...Array.from({ length: 31 }, (_, n) => `h${n}.example`)],
    allowedOrigins: Array.from({ length: 32 }, (_, n) => `https://h${n}.example`),
  };
  for (const bounds of [low, high]) {
    const { id: _id, createdAt: _c, updatedAt: _u, version: _v, ...body } = await service.agent(
      key,
      bounds,
    );
    assertEquals(body as unknown, { ...agentBody(), ...bounds });
  }
});

/** A change to a valid body, and the paths that the error must name. */
const INVALID_BODIES: [string, Record<string, unknown>, string[]][] = [
  ["an unknown field", { colour: "red" }, ["colour"]],
  ["two unknown fields at once", { colour: "red", size: 1 }, ["colour", "size"]],
  ["fields the service sets", { id: crypto.randomUUID(), version: 7 }, ["id", "version"]],
  ["a missing name", { name: undefined }, ["name"]],
  ["an empty name", { name: "" }, ["name"]],
  ["a name of 129 characters", { name: "n".repeat(129) }, ["name"]],
  ["a name that is not a string", { name: 5 }, ["name"]],
  ["a missing system prompt", { systemPrompt: undefined }, ["systemPrompt"]],
  ["a system prompt of 10001 characters", { systemPrompt: "s".repeat(10_001) }, ["systemPrompt"]],
  ["a missing model policy", { modelPolicy: undefined }, ["modelPolicy"]],
  ["an unknown provider", policy({ provider: "vendor_d" }), ["modelPolicy.provider"]],
  ["a missing model", policy({ model: undefined }), ["modelPolicy.model"]],
  ["a model outside the plan", policy({ model: "other" }), ["modelPolicy.model"]],
  ["a temperature of 2.1", policy({ temperature: 2.1 }), ["modelPolicy.temperature"]],
  ["a negative temperature", policy({ temperature: -0.1 }), ["modelPolicy.temperature"]],
  ["no output tokens", policy({ maxOutputTokens: 0 }), ["modelPolicy.maxOutputTokens"]],
  ["16385 output tokens", policy({ maxOutputTokens: 16_385 }), ["modelPolicy.maxOutputTokens"]],
  ["half an output token", policy({ maxOutputTokens: 1.5 }), ["modelPolicy.maxOutputTokens"]],
  ["an unknown field of the policy", policy({ topK: 1 }), ["modelPolicy.topK"]],
  ["a null temperature", policy({ temperature: null }), ["modelPolicy.temperature"]],
  ["a null fallback", { fallback: null }, ["fallback"]],
  ["a fallback without model", { fallback: { provider: "vendor_a" } }, ["fallback.model"]],
  ["a fallback without provider", { fallback: { model: "demo" } }, ["fallback.provider"]],
  ["a fallback outside the plan", fallback("other"), ["fallback.model"]],
  ["a knowledge base that is not a UUID", { knowledgeBaseId: "kb" }, ["knowledgeBaseId"]],
  ["a foreign knowledge base", { knowledgeBaseId: crypto.randomUUID() }, ["knowledgeBaseId"]],
  ["a null knowledge base", { knowledgeBaseId: null }, ["knowledgeBaseId"]],
  ["a missing budget", { budget: undefined }, ["budget"]],
  ["a cost of 100.01 USD", budget({ maxCostUsd: 100.01 }), ["budget.maxCostUsd"]],
  ["a negative cost", budget({ maxCostUsd: -1 }), ["budget.maxCostUsd"]],
  ["33 steps", budget({ maxSteps: 33 }), ["budget.maxSteps"]],
  ["no steps", budget({ maxSteps: 0 }), ["budget.maxSteps"]],
  ["999 ms", budget({ wallClockMs: 999 }), ["budget.wallClockMs"]],
  ["120001 ms", budget({ wallClockMs: 120_001 }), ["budget.wallClockMs"]],
  ["missing tools", { tools: undefined }, ["tools"]],
  ["17 tools", manyTools(17), ["tools"]],
  ["a tool of an unknown type", tools({ type: "shell" }), ["tools.0.type"]],
  ["a tool with a bad name", tools({ name: "9 lives" }), ["tools.0.name"]],
  ["a tool with an unknown field", tools({ colour: "red" }), ["tools.0.colour"]],
  ["two tools of one name", { ...tools(), tools: [httpTool(), httpTool()] }, ["tools.1.name"]],
  ["a tool off the domain list", { tools: [httpTool()] }, ["tools.0.request.url"]],
  ["missing domains", { allowedDomains: undefined }, ["allowedDomains"]],
  ["a domain with a path", { allowedDomains: ["example.com/x"] }, ["allowedDomains.0"]],
  ["a domain of 254 characters", { allowedDomains: ["d".repeat(254)] }, ["allowedDomains.0"]],
  ["33 domains", { allowedDomains: Array(33).fill("example.com") }, ["allowedDomains"]],
  ["an origin with a path", { allowedOrigins: ["https://a.example/x"] }, ["allowedOrigins.0"]],
  ["an origin without scheme", { allowedOrigins: ["a.example"] }, ["allowedOrigins.0"]],
  ["a wildcard origin", { allowedOrigins: ["https://*.a.example"] }, ["allowedOrigins.0"]],
  ["the origin null", { allowedOrigins: ["null"] }, ["allowedOrigins.0"]],
  ["a plain http origin", { allowedOrigins: ["http://a.example"] }, ["allowedOrigins.0"]],
  ["null origins", { allowedOrigins: null }, ["allowedOrigins"]],
  ["33 origins", { allowedOrigins: Array(33).fill("https://a.example") }, ["allowedOrigins"]],
];

Deno.test("POST /v1/agents rejects each invalid field with its path and stores nothing", async (t) => {
  await using service = await TestService.start(instantRuntime());
  const tenant = crypto.randomUUID();
  for (const [label, change, paths] of INVALID_BODIES) {
    // A separate key per case, so that the rate limit does not apply.
    const key = await service.key(["agents:write"], tenant);
    const json = { ...agentBody(), ...change };
    await t.step(label, async () => {
      await expectInvalid(await service.fetch("/v1/agents", { method: POST, key, json }), paths);
    });
  }
  assertEquals(await service.service.agents.list(tenant, { limit: 100 }), { data: [] });
});

Deno.test("POST /v1/agents reports every issue of a body at once", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  const json = { ...agentBody(), name: "", colour: 1, ...budget({ maxSteps: 0 }) };
  const rejected = await service.fetch("/v1/agents", { method: POST, key, json });
  await expectInvalid(rejected, ["name", "colour", "budget.maxSteps"]);
});

function policy(change: Record<string, unknown>) {
  return { modelPolicy: { ...agentBody().modelPolicy, ...change } };
}

function budget(change: Record<string, unknown>) {
  return { budget: { ...agentBody().budget, ...change } };
}

function fallback(model: string) {
  return { fallback: { provider: "vendor_a", model } };
}

function tools(change: Record<string, unknown> = {}) {
  return { allowedDomains: ["api.example.com"], tools: [httpTool(change)] };
}

function manyTools(count: number) {
  const list = Array.from({ length: count }, (_, n) => httpTool({ name: `tool${n}` }));
  return { allowedDomains: ["api.example.com"], tools: list };
}
