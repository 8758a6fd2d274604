import { assert, assertEquals, assertFalse, assertNotEquals } from "@std/assert";
import { keys } from "@/lib/store/keys/keys.ts";
import { httpTool } from "./support/agent_bodies.ts";
import { expectError, expectInvalid, expectJson } from "./support/expect_response.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { lossyKv } from "./support/lossy_kv.ts";
import { agentBody, TestService } from "./support/service.ts";
import { storedText } from "./support/store.ts";
import { embed, ORIGIN } from "./support/widget_calls.ts";
import { openTestKv } from "./support/open_kv.ts";

const AGENTS = "/v1/agents";
const MINT = "/v1/widget/session";
const DAY_MS = 24 * 60 * 60_000;

interface Call {
  key: string;
  json?: unknown;
  headers?: Record<string, string>;
}

/** A POST under the idempotency key `once`. */
function post(service: TestService, path: string, { once, ...call }: Call & { once: string }) {
  const headers = { ...call.headers, "idempotency-key": once };
  return service.fetch(path, { method: "POST", ...call, headers });
}

/** The parts of a response that a replay must repeat. */
async function replayable(response: Response) {
  const { status, headers } = response;
  const named = ["content-type", "location", "etag"].map((name) => headers.get(name));
  return { status, named, body: await response.text() };
}

function isReplay(response: Response): boolean {
  return response.headers.get("idempotency-replayed") === "true";
}

async function agentCount(service: TestService, key: string): Promise<number> {
  const answer = await service.fetch("/v1/agents?limit=100", { key });
  const { data } = await expectJson(answer, 200);
  return data.filter((agent: { name: string }) => agent.name === "Helper").length;
}

Deno.test("POST /v1/agents with the same Idempotency-Key repeats the first response", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  const first = await post(service, AGENTS, { key, once: "k1", json: agentBody() });
  assertEquals([first.status, first.headers.has("idempotency-replayed")], [201, false]);
  const second = await post(service, AGENTS, { key, once: "k1", json: agentBody() });
  assert(isReplay(second));
  assertNotEquals(second.headers.get("x-request-id"), first.headers.get("x-request-id"));
  assertEquals(await replayable(second), await replayable(first));
  assertEquals(await agentCount(service, key), 1);
});

Deno.test("POST /v1/agents: without a key, or under another, each request creates", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  for (const once of ["a", "A"]) {
    assertFalse(isReplay(await post(service, AGENTS, { key, once, json: agentBody() })));
  }
  await service.agent(key);
  await service.agent(key);
  assertEquals(await agentCount(service, key), 4);
});

Deno.test("Idempotency-Key: field order does not matter, another body is 422", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  await post(service, AGENTS, { key, once: "k", json: agentBody() });
  const json = Object.fromEntries(Object.entries(agentBody()).toReversed());
  assert(isReplay(await post(service, AGENTS, { key, once: "k", json })));
  for (const other of [{ ...agentBody(), name: "Other" }, {}, [], null, { ...agentBody(), x: 1 }]) {
    const answer = await post(service, AGENTS, { key, once: "k", json: other });
    await expectError(answer, "idempotency_key_reused");
  }
  assertEquals(await agentCount(service, key), 1);
});

Deno.test("Idempotency-Key: 50 concurrent requests create one agent and get the same response", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => post(service, AGENTS, { key, once: "k", json: agentBody() })),
  );
  assertEquals(answers.filter((answer) => !isReplay(answer)).length, 1);
  const all = await Promise.all(answers.map(replayable));
  assertEquals([...new Set(all.map((one) => JSON.stringify(one)))].length, 1);
  assertEquals(all[0]?.status, 201);
  assertEquals(await agentCount(service, key), 1);
});

Deno.test("Idempotency-Key: a replay answers after the agent was deleted, without restoring it", async () => {
  await using service = await TestService.start();
  const { key, agent } = await embed(service);
  const mint = { key, once: "m", json: { agentId: agent.id }, headers: { origin: ORIGIN } };
  const path = `/v1/agents/${agent.id}/playground-session`;
  const minted = await replayable(await post(service, MINT, mint));
  const played = await replayable(await post(service, path, { key, once: "p" }));
  const made = await replayable(await post(service, AGENTS, { key, once: "a", json: agentBody() }));
  for (const id of [agent.id, JSON.parse(made.body).id]) {
    await service.fetch(`/v1/agents/${id}`, { method: "DELETE", key });
  }
  assertEquals(await replayable(await post(service, MINT, mint)), minted);
  assertEquals(await replayable(await post(service, path, { key, once: "p", json: {} })), played);
  const again = await post(service, AGENTS, { key, once: "a", json: agentBody() });
  assertEquals(await replayable(again), made);
  assertEquals(await agentCount(service, key), 0);
});

Deno.test("Idempotency-Key: a repeated mint returns the same session, whose token is not stored", async () => {
  const kv = await openTestKv();
  await using service = await TestService.start({ kv });
  const { key, agent } = await embed(service);
  const mint = { key, once: "k", json: { agentId: agent.id }, headers: { origin: ORIGIN } };
  const first = await expectJson(await post(service, MINT, mint), 201);
  const second = await post(service, MINT, mint);
  assert(isReplay(second));
  assertEquals(await expectJson(second, 201), first);
  const secret = first.sessionToken.slice(3);
  assertFalse((await storedText(kv)).includes(secret));
});

Deno.test("Idempotency-Key: a mint for another origin is a different request", async () => {
  await using service = await TestService.start();
  const other = "https://other.example.com";
  const { key, agent } = await embed(service, { allowedOrigins: [ORIGIN, other] });
  const mint = { key, once: "k", json: { agentId: agent.id } };
  await expectJson(await post(service, MINT, { ...mint, headers: { origin: ORIGIN } }), 201);
  const elsewhere = await post(service, MINT, { ...mint, headers: { origin: other } });
  await expectError(elsewhere, "idempotency_key_reused");
  await expectError(await post(service, MINT, mint), "origin_not_allowed");
});

Deno.test("Idempotency-Key: expires after 24 hours", async () => {
  const time = instantRuntime();
  await using service = await TestService.start(time);
  const key = await service.key();
  const create = () => post(service, AGENTS, { key, once: "k", json: agentBody() });
  const first = await expectJson(await create(), 201);
  time.advance(DAY_MS - 1);
  const replayed = await create();
  assert(isReplay(replayed));
  assertEquals((await expectJson(replayed, 201)).id, first.id);
  time.advance(1);
  const fresh = await create();
  assertFalse(isReplay(fresh));
  const second = await expectJson(fresh, 201);
  assertNotEquals(second.id, first.id);
  assertEquals((await expectJson(await create(), 201)).id, second.id);
});

Deno.test("Idempotency-Key: keys are scoped by API key, route and agent", async () => {
  await using service = await TestService.start();
  const { key, agent } = await embed(service);
  const call = { once: "k", json: {} };
  const paths = [agent.id, (await service.agent(key)).id].map((id) =>
    `/v1/agents/${id}/playground-session`
  );
  const other = await service.key();
  const tokens = new Set<string>();
  for (const [path, by] of [[paths[0]!, key], [paths[1]!, key], [paths[0]!, other]] as const) {
    const answer = await post(service, path, { ...call, key: by });
    assertFalse(isReplay(answer));
    tokens.add((await expectJson(answer, 201)).sessionToken);
  }
  assertEquals(tokens.size, 3);
  for (const by of [key, other]) {
    assertFalse(isReplay(await post(service, AGENTS, { key: by, once: "k", json: agentBody() })));
  }
});

Deno.test("Idempotency-Key: a revoked key gets no replay, nor does one without the scope", async () => {
  await using service = await TestService.start();
  const weak = await service.key(["agents:read"]);
  const call = { once: "k", json: agentBody() };
  await expectError(await post(service, AGENTS, { ...call, key: weak }), "insufficient_scope");
  const key = await service.key();
  await post(service, AGENTS, { ...call, key });
  const tenant = await service.tenant();
  for (const { id } of await service.service.apiKeys.list(tenant)) {
    await service.service.apiKeys.revoke(tenant, id);
  }
  await expectError(await post(service, AGENTS, { ...call, key }), "invalid_api_key");
});

Deno.test("Idempotency-Key: must be 1-255 visible characters, and any such value works", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  for (const once of ["", "k".repeat(256), "a b", "\u00e9"]) {
    const answer = await post(service, AGENTS, { key, once, json: agentBody() });
    await expectInvalid(answer, ["Idempotency-Key"]);
  }
  assertEquals(await agentCount(service, key), 0);
  for (const once of ["k", "k".repeat(255)]) {
    await expectJson(await post(service, AGENTS, { key, once, json: agentBody() }), 201);
  }
});

Deno.test("Idempotency-Key: an error is not stored, so a corrected request succeeds", async () => {
  const kv = await openTestKv();
  await using service = await TestService.start({ kv });
  const key = await service.key();
  const wrong = { ...agentBody(), name: "" };
  await expectInvalid(await post(service, AGENTS, { key, once: "k", json: wrong }), ["name"]);
  await expectInvalid(await post(service, AGENTS, { key, once: "k", json: wrong }), ["name"]);
  const right = await post(service, AGENTS, { key, once: "k", json: agentBody() });
  assertFalse(isReplay(right));
  await expectJson(right, 201);
});

Deno.test("Idempotency-Key: the largest valid agent is created once and replayed in full", async () => {
  const kv = await openTestKv();
  await using service = await TestService.start({ kv });
  const key = await service.key();
  const json = largeAgent(16_000);
  const first = await replayable(await post(service, AGENTS, { key, once: "k", json }));
  assertEquals(first.status, 201);
  assertEquals(await replayable(await post(service, AGENTS, { key, once: "k", json })), first);
  const { id } = JSON.parse(first.body);
  const read = await service.fetch(`/v1/agents/${id}`, { key });
  assertEquals(await read.text(), first.body);
  assert((await kv.get(keys.agent(await service.tenant(), id))).value);
});

Deno.test("POST /v1/agents larger than one commit is 413 and stores nothing", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  const tooLarge = largeAgent(100, "x".repeat(50_000));
  const plain = await service.fetch(AGENTS, { method: "POST", key, json: tooLarge });
  await expectError(plain, "payload_too_large");
  // With an idempotency key the response is stored in the same commit.
  const half = largeAgent(100, "x".repeat(30_000));
  const keyed = await post(service, AGENTS, { key, once: "k", json: half });
  await expectError(keyed, "payload_too_large");
  assertEquals(await agentCount(service, key), 0);
  await expectJson(await service.fetch(AGENTS, { method: "POST", key, json: half }), 201);
});

Deno.test("Idempotency-Key: a retry returns a response that was lost in transit", async () => {
  const { kv, loseNextCommit } = await lossyKv();
  await using service = await TestService.start({ kv });
  const key = await service.key();
  const call = { key, once: "k", json: agentBody() };
  loseNextCommit("receipts");
  await expectError(await post(service, AGENTS, call), "service_unavailable");
  const again = await post(service, AGENTS, call);
  assert(isReplay(again));
  const { id } = await expectJson(again, 201);
  await expectJson(await service.fetch(`/v1/agents/${id}`, { key }), 200);
  assertEquals(await agentCount(service, key), 1);
});

/** An agent with 16 tools: `bytes` of JSON Schema in each, and a request body of `text`. */
function largeAgent(bytes: number, text = "") {
  const url = "https://api.example.com/";
  const tools = Array.from({ length: 16 }, (_, n) =>
    httpTool({
      name: `t${n}`,
      parameters: { type: "object", title: "x".repeat(bytes) },
      request: { method: "POST", url, body: text },
    }));
  return { ...agentBody(), tools, allowedDomains: ["api.example.com"] };
}
