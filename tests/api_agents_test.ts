import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { fullAgentBody, httpTool } from "./support/agent_bodies.ts";
import { expectInvalid, expectJson, expectRefusal } from "./support/expect_answer.ts";
import { fastSystem } from "./support/fast_system.ts";
import { agentBody, TestService } from "./support/service.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const POST = "POST";
const PATCH = "PATCH";

Deno.test("POST /v1/agents stores every field and answers 201 with Location and ETag", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  const json = fullAgentBody();
  const created = await service.fetch("/v1/agents", { method: POST, key, json });
  const agent = await expectJson(created, 201);
  assertEquals(created.headers.get("location"), `/v1/agents/${agent.id}`);
  assertEquals(created.headers.get("etag"), '"1"');
  const { id, createdAt, updatedAt, version, ...body } = agent;
  assertMatch(id, UUID);
  assertMatch(createdAt, TIME);
  assertEquals(updatedAt, createdAt);
  assertEquals(version, 1);
  assertEquals(body, json);
  const read = await service.fetch(created.headers.get("location")!, { key });
  assertEquals(await expectJson(read, 200), agent);
  assertEquals(read.headers.get("etag"), '"1"');
});

Deno.test("POST /v1/agents leaves out what was not set, never null", async () => {
  await using service = await TestService.start();
  const { id: _id, createdAt: _c, updatedAt: _u, version: _v, ...body } = await service.agent(
    await service.key(),
  );
  assertEquals(body as unknown, agentBody());
});

Deno.test("POST /v1/agents normalises domains and origins as browsers spell them", async () => {
  await using service = await TestService.start();
  const agent = await service.agent(await service.key(), {
    allowedDomains: ["API.Example.com", "*.Bücher.example", "example.com:443"],
    allowedOrigins: ["HTTPS://Shop.Example.com:443", "https://shop.example.com:8443/"],
  });
  assertEquals(agent.allowedDomains, ["api.example.com", "*.xn--bcher-kva.example", "example.com"]);
  assertEquals(agent.allowedOrigins, ["https://shop.example.com", "https://shop.example.com:8443"]);
});

Deno.test("POST /v1/agents accepts each bound of the specification's table", async () => {
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

/** A change to a valid body, and the paths that its refusal must name. */
const FAULTS: [string, Record<string, unknown>, string[]][] = [
  ["an unknown field", { colour: "red" }, ["colour"]],
  ["two unknown fields at once", { colour: "red", size: 1 }, ["colour", "size"]],
  ["fields the service sets", { id: crypto.randomUUID(), version: 7 }, ["id", "version"]],
  ["a missing name", { name: undefined }, ["name"]],
  ["an empty name", { name: "" }, ["name"]],
  ["a name of 129 characters", { name: "n".repeat(129) }, ["name"]],
  ["a name that is no string", { name: 5 }, ["name"]],
  ["a missing system prompt", { systemPrompt: undefined }, ["systemPrompt"]],
  ["a system prompt of 10001 characters", { systemPrompt: "s".repeat(10_001) }, ["systemPrompt"]],
  ["a missing model policy", { modelPolicy: undefined }, ["modelPolicy"]],
  ["an unknown vendor", policy({ provider: "vendor_d" }), ["modelPolicy.provider"]],
  ["a missing model", policy({ model: undefined }), ["modelPolicy.model"]],
  ["a model outside the plan", policy({ model: "other" }), ["modelPolicy.model"]],
  ["a temperature of 2.1", policy({ temperature: 2.1 }), ["modelPolicy.temperature"]],
  ["a negative temperature", policy({ temperature: -0.1 }), ["modelPolicy.temperature"]],
  ["no output tokens", policy({ maxOutputTokens: 0 }), ["modelPolicy.maxOutputTokens"]],
  ["16385 output tokens", policy({ maxOutputTokens: 16_385 }), ["modelPolicy.maxOutputTokens"]],
  ["half an output token", policy({ maxOutputTokens: 1.5 }), ["modelPolicy.maxOutputTokens"]],
  ["an unknown field of the policy", policy({ topP: 1 }), ["modelPolicy.topP"]],
  ["a null temperature", policy({ temperature: null }), ["modelPolicy.temperature"]],
  ["a null fallback", { fallback: null }, ["fallback"]],
  ["a fallback without model", { fallback: { provider: "vendor_a" } }, ["fallback.model"]],
  ["a fallback without vendor", { fallback: { model: "demo" } }, ["fallback.provider"]],
  ["a fallback outside the plan", fallback("other"), ["fallback.model"]],
  ["a knowledge base that is no UUID", { knowledgeBaseId: "kb" }, ["knowledgeBaseId"]],
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
  ["a tool of no known type", tools({ type: "shell" }), ["tools.0.type"]],
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

Deno.test("POST /v1/agents refuses each fault with its path and stores nothing", async (t) => {
  await using service = await TestService.start(fastSystem());
  const tenant = crypto.randomUUID();
  for (const [fault, change, paths] of FAULTS) {
    // A key of its own each: what is tested here is the body, not how often one may call.
    const key = await service.key(["agents:write"], tenant);
    const json = { ...agentBody(), ...change };
    await t.step(fault, async () => {
      await expectInvalid(await service.fetch("/v1/agents", { method: POST, key, json }), paths);
    });
  }
  assertEquals(await service.service.agents.list(tenant, { limit: 100 }), { data: [] });
});

Deno.test("POST /v1/agents names every fault of a body at once", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  const json = { ...agentBody(), name: "", colour: 1, ...budget({ maxSteps: 0 }) };
  const refused = await service.fetch("/v1/agents", { method: POST, key, json });
  await expectInvalid(refused, ["name", "colour", "budget.maxSteps"]);
});

Deno.test("PATCH /v1/agents/:id merges policy and budget field by field", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  const agent = await service.agent(key, fullAgentBody());
  const json = { name: "New", modelPolicy: { temperature: 1 }, budget: { maxSteps: 9 } };
  const patched = await service.fetch(`/v1/agents/${agent.id}`, { method: PATCH, key, json });
  const { updatedAt: _now, ...after } = await expectJson(patched, 200);
  const { updatedAt: _then, ...before } = agent;
  assertEquals(patched.headers.get("etag"), '"2"');
  assertEquals(after, {
    ...before,
    version: 2,
    name: "New",
    modelPolicy: { ...agent.modelPolicy, temperature: 1 },
    budget: { ...agent.budget, maxSteps: 9 },
  });
});

Deno.test("PATCH /v1/agents/:id replaces tools, domains, origins and fallback whole", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  const { id } = await service.agent(key, fullAgentBody());
  const json = {
    tools: [],
    allowedDomains: ["other.example"],
    allowedOrigins: ["https://other.example"],
    fallback: { provider: "vendor_c", model: "demo" },
  };
  const patched = await service.fetch(`/v1/agents/${id}`, { method: PATCH, key, json });
  const agent = await expectJson(patched, 200);
  assertEquals({ ...agent, ...json }, agent);
});

Deno.test("PATCH /v1/agents/:id keeps an omitted fallback and clears it by null", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  const { id, fallback } = await service.agent(key, fullAgentBody());
  const patch = async (json: unknown) =>
    await expectJson(await service.fetch(`/v1/agents/${id}`, { method: PATCH, key, json }), 200);
  assertEquals((await patch({ name: "Kept" })).fallback, fallback);
  assertEquals("fallback" in await patch({ fallback: null }), false);
  assertEquals("fallback" in await patch({ name: "Still none" }), false);
});

Deno.test("PATCH /v1/agents/:id that changes nothing keeps version and time", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  const agent = await service.agent(key, fullAgentBody());
  for (const json of [{}, { name: agent.name }, { ...fullAgentBody() }, { modelPolicy: {} }]) {
    const answer = await service.fetch(`/v1/agents/${agent.id}`, { method: PATCH, key, json });
    assertEquals(await expectJson(answer, 200), agent);
  }
});

Deno.test("PATCH /v1/agents/:id refuses faults with their path and changes nothing", async (t) => {
  await using service = await TestService.start();
  const key = await service.key();
  const agent = await service.agent(key, fullAgentBody());
  const faults: [Record<string, unknown>, string[]][] = [
    [{ name: null }, ["name"]],
    [{ modelPolicy: { temperature: null } }, ["modelPolicy.temperature"]],
    [{ allowedOrigins: null }, ["allowedOrigins"]],
    [{ colour: "red" }, ["colour"]],
    [{ version: 3 }, ["version"]],
    [{ modelPolicy: { model: "other" } }, ["modelPolicy.model"]],
    [{ fallback: { model: "demo" } }, ["fallback.provider"]],
    [{ budget: { maxSteps: 33 } }, ["budget.maxSteps"]],
    [{ allowedDomains: [] }, ["tools.0.request.url"]],
  ];
  for (const [json, paths] of faults) {
    await t.step(JSON.stringify(json), async () => {
      const answer = await service.fetch(`/v1/agents/${agent.id}`, { method: PATCH, key, json });
      await expectInvalid(answer, paths);
    });
  }
  const answer = await service.fetch(`/v1/agents/${agent.id}`, { key });
  assertEquals(await expectJson(answer, 200), agent);
});

Deno.test("If-Match lets PATCH and DELETE through at its version and is 412 at another", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  const { id } = await service.agent(key);
  const send = (method: string, ifMatch: string, json?: unknown) =>
    service.fetch(`/v1/agents/${id}`, { method, key, json, headers: { "if-match": ifMatch } });
  await expectJson(await send(PATCH, '"1"', { name: "Two" }), 200);
  await expectJson(await send(PATCH, 'W/"2"', { name: "Three" }), 200);
  await expectJson(await send(PATCH, "*", { name: "Four" }), 200);
  for (const stale of ['"1"', 'W/"3"', '"5"', '"elsewhere"', "4"]) {
    await expectRefusal(await send(PATCH, stale, { name: "Never" }), "version_conflict");
    await expectRefusal(await send("DELETE", stale), "version_conflict");
  }
  const read = await service.fetch(`/v1/agents/${id}`, { key });
  assertEquals((await expectJson(read, 200)).name, "Four");
  const deleted = await send("DELETE", '"4"');
  assertEquals([deleted.status, await deleted.text()], [204, ""]);
});

Deno.test("GET /v1/agents/:id answers 304 to a current If-None-Match and 200 to a stale one", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  const { id } = await service.agent(key);
  const read = (tag: string) =>
    service.fetch(`/v1/agents/${id}`, { key, headers: { "if-none-match": tag } });
  for (const tag of ['"1"', 'W/"1"', '"7", "1"', "*"]) {
    const answer = await read(tag);
    assertEquals([answer.status, answer.headers.get("etag")], [304, '"1"']);
    assertEquals(await answer.text(), "");
  }
  await expectJson(await read('"2"'), 200);
});

Deno.test("GET /v1/agents pages newest first, 20 unless told, without a cursor on the last", async () => {
  const time = fastSystem();
  await using service = await TestService.start(time);
  const key = await service.key(undefined, crypto.randomUUID());
  const newestFirst: string[] = [];
  for (let n = 0; n < 23; n++) {
    newestFirst.unshift((await service.agent(key)).id);
    time.advance(1000);
  }
  const page = async (query: string) =>
    await expectJson(await service.fetch(`/v1/agents${query}`, { key }), 200);
  const ids = (list: { data: { id: string }[] }) => list.data.map(({ id }) => id);
  const first = await page("");
  assertEquals(ids(first), newestFirst.slice(0, 20));
  const second = await page(`?cursor=${encodeURIComponent(first.nextCursor)}`);
  assertEquals(ids(second), newestFirst.slice(20));
  assertEquals(Object.keys(second), ["data"]);
  assertEquals(Object.keys(await page("?limit=23")), ["data"]);
  assertEquals(ids(await page("?limit=1")), newestFirst.slice(0, 1));
});

Deno.test("GET /v1/agents refuses a limit outside 1-100 and a cursor it did not give out", async () => {
  const time = fastSystem();
  await using service = await TestService.start(time);
  const key = await service.key(undefined, crypto.randomUUID());
  for (let n = 0; n < 2; n++) await service.agent(key);
  for (const limit of ["0", "101", "-1", "x", "1.5", ""]) {
    await expectInvalid(await service.fetch(`/v1/agents?limit=${limit}`, { key }), ["limit"]);
  }
  const { nextCursor } = await expectJson(await service.fetch("/v1/agents?limit=1", { key }), 200);
  const forged = [btoa("somewhere else"), "abc", "%00", "", `${nextCursor}A`, `A${nextCursor}`];
  for (const cursor of forged) {
    const query = `cursor=${encodeURIComponent(cursor)}`;
    await expectInvalid(await service.fetch(`/v1/agents?${query}`, { key }), ["cursor"]);
  }
  const other = await service.key(undefined, crypto.randomUUID());
  const query = `cursor=${encodeURIComponent(nextCursor)}`;
  await expectInvalid(await service.fetch(`/v1/agents?${query}`, { key: other }), ["cursor"]);
});

Deno.test("GET /v1/agents/:id/versions keeps each version as it was, newest first", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  const first = await service.agent(key);
  const path = `/v1/agents/${first.id}`;
  const second = await expectJson(
    await service.fetch(path, { method: PATCH, key, json: { name: "Second" } }),
    200,
  );
  const all = await expectJson(await service.fetch(`${path}/versions`, { key }), 200);
  assertEquals(all, { data: [second, first] });
  assertEquals(await expectJson(await service.fetch(`${path}/versions/1`, { key }), 200), first);
  for (const n of ["0", "3", "01", "x", "-1", "1e0"]) {
    await expectRefusal(await service.fetch(`${path}/versions/${n}`, { key }), "not_found");
  }
});

Deno.test("DELETE /v1/agents/:id answers 204 and leaves neither agent nor versions", async () => {
  await using service = await TestService.start();
  const key = await service.key(undefined, crypto.randomUUID());
  const { id } = await service.agent(key);
  const path = `/v1/agents/${id}`;
  const deleted = await service.fetch(path, { method: "DELETE", key });
  assertEquals([deleted.status, await deleted.text()], [204, ""]);
  assert(deleted.headers.has("x-request-id"));
  await expectRefusal(await service.fetch(path, { key }), "not_found");
  await expectRefusal(await service.fetch(`${path}/versions`, { key }), "not_found");
  await expectRefusal(await service.fetch(`${path}/versions/1`, { key }), "not_found");
  await expectRefusal(await service.fetch(path, { method: "DELETE", key }), "not_found");
  assertEquals(await expectJson(await service.fetch("/v1/agents", { key }), 200), { data: [] });
});

Deno.test("another tenant's agent is 404 to read, change, delete, mint for and chat with", async () => {
  await using service = await TestService.start();
  const origin = "https://shop.example.com";
  const agent = await service.agent(await service.key(), { allowedOrigins: [origin] });
  const key = await service.key(["agents:write", "widget:mint"], crypto.randomUUID());
  const path = `/v1/agents/${agent.id}`;
  const messages = [{ role: "user", content: "Hello" }];
  const tries: [string, RequestInit & { json?: unknown }][] = [
    [path, {}],
    [path, { method: PATCH, json: { name: "Mine" } }],
    [path, { method: "DELETE" }],
    [`${path}/versions`, {}],
    [`${path}/versions/1`, {}],
    [`${path}/playground-session`, { method: POST }],
    ["/v1/widget/session", { method: POST, json: { agentId: agent.id }, headers: { origin } }],
    ["/v1/chat/stream", { method: POST, json: { agentId: agent.id, messages } }],
  ];
  for (const [address, init] of tries) {
    await expectRefusal(await service.fetch(address, { ...init, key }), "not_found");
  }
  assertEquals(await expectJson(await service.fetch("/v1/agents", { key }), 200), { data: [] });
});

Deno.test("an agent id that is no UUID is 404, and its letters may be upper case", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  const { id } = await service.agent(key);
  await expectRefusal(await service.fetch("/v1/agents/mine", { key }), "not_found");
  const shouted = await service.fetch(`/v1/agents/${id.toUpperCase()}`, { key });
  assertEquals((await expectJson(shouted, 200)).id, id);
});

Deno.test("HEAD /v1/agents/:id answers what GET would, without a body", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  const { id } = await service.agent(key);
  const got = await service.fetch(`/v1/agents/${id}`, { key });
  await got.body?.cancel();
  const head = await service.fetch(`/v1/agents/${id}`, { method: "HEAD", key });
  assertEquals([head.status, await head.text()], [200, ""]);
  for (const name of ["content-type", "etag"]) {
    assertEquals(head.headers.get(name), got.headers.get(name));
  }
  assertNotEquals(head.headers.get("x-request-id"), got.headers.get("x-request-id"));
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
