import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { fullAgentBody } from "./support/agent_bodies.ts";
import { expectError, expectInvalid, expectJson } from "./support/expect_response.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
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

Deno.test("POST /v1/agents omits unset fields instead of sending null", async () => {
  await using service = await TestService.start();
  const { id: _id, createdAt: _c, updatedAt: _u, version: _v, ...body } = await service.agent(
    await service.key(),
  );
  assertEquals(body as unknown, agentBody());
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

Deno.test("PATCH /v1/agents/:id rejects invalid fields with their path and changes nothing", async (t) => {
  await using service = await TestService.start();
  const key = await service.key();
  const agent = await service.agent(key, fullAgentBody());
  const invalidBodies: [Record<string, unknown>, string[]][] = [
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
  for (const [json, paths] of invalidBodies) {
    await t.step(JSON.stringify(json), async () => {
      const answer = await service.fetch(`/v1/agents/${agent.id}`, { method: PATCH, key, json });
      await expectInvalid(answer, paths);
    });
  }
  const answer = await service.fetch(`/v1/agents/${agent.id}`, { key });
  assertEquals(await expectJson(answer, 200), agent);
});

Deno.test("/v1/agents/:id: PATCH and DELETE succeed if If-Match is the current version, and are 412 otherwise", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  const { id } = await service.agent(key);
  const send = (method: string, ifMatch: string, json?: unknown) =>
    service.fetch(`/v1/agents/${id}`, { method, key, json, headers: { "if-match": ifMatch } });
  await expectJson(await send(PATCH, '"1"', { name: "Two" }), 200);
  await expectJson(await send(PATCH, 'W/"2"', { name: "Three" }), 200);
  await expectJson(await send(PATCH, "*", { name: "Four" }), 200);
  const gone = `/v1/agents/${crypto.randomUUID()}`;
  const headers = { "if-match": '"1"' };
  await expectError(await service.fetch(gone, { method: "DELETE", key, headers }), "not_found");
  for (const stale of ['"1"', 'W/"3"', '"5"', '"elsewhere"', "4", '"1", "2"', '"1" "4"']) {
    await expectError(await send(PATCH, stale, { name: "Never" }), "version_conflict");
    await expectError(await send("DELETE", stale), "version_conflict");
  }
  const read = await service.fetch(`/v1/agents/${id}`, { key });
  assertEquals((await expectJson(read, 200)).name, "Four");
  const deleted = await send("DELETE", '"7", W/"4"');
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

Deno.test("GET /v1/agents returns pages newest first, 20 per page by default, without a cursor on the last", async () => {
  const time = instantRuntime();
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

Deno.test("GET /v1/agents rejects a limit outside 1-100 and a cursor it did not issue", async () => {
  const time = instantRuntime();
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

Deno.test("GET /v1/agents/:id/versions returns every version unchanged, newest first", async () => {
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
  const { data, nextCursor, ...more } = await expectJson(
    await service.fetch(`${path}/versions?limit=1`, { key }),
    200,
  );
  assertEquals([data, more], [[second], {}]);
  const next = `cursor=${encodeURIComponent(nextCursor)}`;
  const last = await service.fetch(`${path}/versions?limit=1&${next}`, { key });
  assertEquals(await expectJson(last, 200), { data: [first] });
  await expectInvalid(await service.fetch(`${path}/versions?limit=101`, { key }), ["limit"]);
  const elsewhere = await service.agent(key);
  const foreign = await service.fetch(`/v1/agents/${elsewhere.id}/versions?${next}`, { key });
  await expectInvalid(foreign, ["cursor"]);
  assertEquals(await expectJson(await service.fetch(`${path}/versions/1`, { key }), 200), first);
  for (const n of ["0", "3", "01", "x", "-1", "1e0"]) {
    await expectError(await service.fetch(`${path}/versions/${n}`, { key }), "not_found");
  }
});

Deno.test("DELETE /v1/agents/:id answers 204 and removes the agent and its versions", async () => {
  await using service = await TestService.start();
  const key = await service.key(undefined, crypto.randomUUID());
  const { id } = await service.agent(key);
  const path = `/v1/agents/${id}`;
  const deleted = await service.fetch(path, { method: "DELETE", key });
  assertEquals([deleted.status, await deleted.text()], [204, ""]);
  assert(deleted.headers.has("x-request-id"));
  await expectError(await service.fetch(path, { key }), "not_found");
  await expectError(await service.fetch(`${path}/versions`, { key }), "not_found");
  await expectError(await service.fetch(`${path}/versions/1`, { key }), "not_found");
  await expectError(await service.fetch(path, { method: "DELETE", key }), "not_found");
  assertEquals(await expectJson(await service.fetch("/v1/agents", { key }), 200), { data: [] });
});

Deno.test("/v1: another tenant's agent is 404 to read, change, delete, mint for and chat with", async () => {
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
    await expectError(await service.fetch(address, { ...init, key }), "not_found");
  }
  assertEquals(await expectJson(await service.fetch("/v1/agents", { key }), 200), { data: [] });
});

Deno.test("/v1/agents/:id: an id that is not a UUID is 404, and upper-case letters are accepted", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  const { id } = await service.agent(key);
  await expectError(await service.fetch("/v1/agents/mine", { key }), "not_found");
  const shouted = await service.fetch(`/v1/agents/${id.toUpperCase()}`, { key });
  assertEquals((await expectJson(shouted, 200)).id, id);
});

Deno.test("HEAD /v1/agents/:id answers like GET, without a body", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  const { id } = await service.agent(key);
  const got = await service.fetch(`/v1/agents/${id}`, { key });
  await got.body?.cancel();
  const head = await service.fetch(`/v1/agents/${id}`, { method: "HEAD", key });
  assertEquals([head.status, await head.text()], [200, ""]);
  for (const name of ["content-type", "content-length", "etag"]) {
    assertEquals(head.headers.get(name), got.headers.get(name));
  }
  assertNotEquals(head.headers.get("x-request-id"), got.headers.get("x-request-id"));
});

Deno.test("HEAD /v1/*: an error has the content-length of its envelope and no body", async () => {
  await using service = await TestService.start();
  for (const path of ["/v1/agents", "/v1/nothing"]) {
    const length = (await (await service.fetch(path)).bytes()).length;
    const head = await service.fetch(path, { method: "HEAD" });
    assertEquals(head.headers.get("content-length"), String(length));
    assertEquals(await head.text(), "");
  }
});
