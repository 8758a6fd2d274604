/** /v1/configuration: resources by key, the check of bodies, and the lock that keeps appliers apart. */
import { assert, assertEquals } from "@std/assert";
import { agentBody, TestService } from "./support/service.ts";
import { expectError, expectJson } from "./support/expect_response.ts";
import { openTestKv } from "./support/open_kv.ts";

const [MINE, YOURS] = [crypto.randomUUID(), crypto.randomUUID()];

async function open() {
  let now = Date.parse("2026-01-15T12:00:00Z");
  const kv = await openTestKv();
  const limits = { ipRequests: 1e6, keyRequests: 1e6 };
  const service = await TestService.start({ kv, limits, runtime: { now: () => now } });
  const key = await service.key(["agents:write", "knowledge:write"]);
  const call = (method: string, path: string, init: Record<string, unknown> = {}) =>
    service.fetch(`/v1${path}`, { method, key, ...init });
  const put = (path: string, json: unknown, headers: Record<string, string> = {}) =>
    call("PUT", `/configuration/${path}`, { json, headers });
  const lock = (json: unknown) => call("PUT", "/configuration/lock", { json });
  return {
    ...{ kv, service, key, call, put, lock },
    advance: (ms: number) => now += ms,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

Deno.test("PUT /v1/configuration/:kind/:key: creates once, replaces as a whole, and survives a rename", async () => {
  await using on = await open();
  const made = await expectJson(await on.put("agents/shop", agentBody()), 200);
  assertEquals([made.kind, made.key, made.version], ["agents", "shop", 1]);
  const more = { ...agentBody(), name: "Renamed", followUps: true };
  const renamed = await expectJson(await on.put("agents/shop", more), 200);
  assertEquals([renamed.id, renamed.version], [made.id, 2]);
  assertEquals((await expectJson(await on.put("agents/shop", more), 200)).version, 2);
  await expectJson(await on.put("agents/shop", agentBody(), { "if-match": '"2"' }), 200);
  const agent = await expectJson(await on.call("GET", `/agents/${made.id}`), 200);
  assertEquals([agent.name, agent.followUps], [agentBody().name, undefined]);
  await expectError(
    await on.put("agents/shop", more, { "if-match": '"2"' }),
    "version_conflict",
  );
  await expectError(
    await on.put("agents/shop", more, { "if-none-match": "*" }),
    "version_conflict",
  );
  await expectError(await on.put("agents/new", more, { "if-match": '"1"' }), "not_found");
  await expectError(await on.put("agents/Shop", more), "not_found");
  const { data } = await expectJson(await on.call("GET", "/configuration/keys"), 200);
  assertEquals(data, [{ kind: "agents", key: "shop", id: made.id }]);
});

Deno.test("PUT /v1/configuration/:kind/:key: racing creations of one key make one resource", async () => {
  await using on = await open();
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => on.put("knowledge-bases/shop", { name: `Shop ${n}` })),
  );
  const statuses = answers.map(({ status }) => status);
  assert(statuses.every((status) => status === 200 || status === 412), String(statuses));
  const { data } = await expectJson(await on.call("GET", "/knowledge-bases"), 200);
  assertEquals(data.length, 1);
  const { data: named } = await expectJson(await on.call("GET", "/configuration/keys"), 200);
  assertEquals(named.map(({ id }: { id: string }) => id), [data[0].id]);
});

Deno.test("PUT /v1/configuration/:kind/:key?adopt: gives a stored resource a key, once", async () => {
  await using on = await open();
  const { id } = await expectJson(await on.call("POST", "/agents", { json: agentBody() }), 201);
  const other = await expectJson(await on.call("POST", "/agents", { json: agentBody() }), 201);
  const adopted = await expectJson(await on.put(`agents/shop?adopt=${id}`, agentBody()), 200);
  assertEquals([adopted.id, adopted.version], [id, 1]);
  await expectJson(await on.put(`agents/shop?adopt=${id}`, agentBody()), 200);
  const taken = [`agents/shop?adopt=${other.id}`, `agents/second?adopt=${id}`];
  for (const path of taken) await expectError(await on.put(path, agentBody()), "version_conflict");
  await expectError(await on.put(`agents/x?adopt=${MINE}`, agentBody()), "not_found");

  assertEquals((await on.call("DELETE", `/agents/${id}`)).status, 204);
  const again = await expectJson(await on.put("agents/shop", agentBody()), 200);
  assert(again.id !== id, "the key of a deleted agent is used again");
});

Deno.test("DELETE /v1/configuration/:kind/:key: deletes the expected version, and frees the key", async () => {
  await using on = await open();
  const base = await expectJson(await on.put("knowledge-bases/shop", { name: "Shop" }), 200);
  const of = "/configuration/knowledge-bases/shop";
  const headers = { "if-match": '"9"' };
  await expectError(await on.call("DELETE", of, { headers }), "version_conflict");
  assertEquals((await on.call("DELETE", of, { headers: { "if-match": '"1"' } })).status, 204);
  await expectError(await on.call("GET", `/knowledge-bases/${base.id}`), "not_found");
  await expectError(await on.call("DELETE", of), "not_found");
  const { data } = await expectJson(await on.call("GET", "/configuration/keys"), 200);
  assertEquals(data, []);
});

Deno.test("PUT /v1/configuration/lock: one holder; the other is rejected, waits, or takes over", async () => {
  await using on = await open();
  await expectJson(await on.lock({ id: MINE, note: "First" }), 200);
  const rejected = await expectError(await on.lock({ id: YOURS }), "configuration_locked");
  assertEquals(rejected.details?.note, "First");
  on.advance(60_000);
  await expectJson(await on.lock({ id: MINE }), 200);
  on.advance(60_000);
  await expectError(await on.lock({ id: YOURS }), "configuration_locked");
  on.advance(30_001);
  // It has expired, and no other client has taken it.
  const late = { "configuration-lock": MINE };
  await expectJson(await on.put("knowledge-bases/late", { name: "Late" }, late), 200);
  await expectError(await on.lock({ id: YOURS }), "configuration_locked");
  on.advance(90_001);
  await expectJson(await on.lock({ id: YOURS }), 200);
  await expectJson(await on.lock({ id: MINE, takeOver: true }), 200);
  const headers = { "configuration-lock": YOURS };
  await expectError(await on.put("agents/shop", agentBody(), headers), "configuration_locked");
  await expectError(
    await on.call("DELETE", "/configuration/lock", { headers }),
    "configuration_locked",
  );
  const mine = { headers: { "configuration-lock": MINE } };
  assertEquals((await on.call("DELETE", "/configuration/lock", mine)).status, 204);
  await expectError(await on.call("GET", "/configuration/lock"), "not_found");
});

Deno.test("Configuration-Lock: a change that was decided before a take-over never commits", async () => {
  await using on = await open();
  const { id } = await expectJson(await on.put("agents/shop", agentBody()), 200);
  await expectJson(await on.lock({ id: MINE }), 200);
  // The take-over happens between the check of the lock and the commit of the change.
  const { configuration } = on.service.service;
  const tenant = await on.service.tenant();
  const { agents, knowledge, testSets, testCases } = await configuration.services(tenant, MINE);
  const base = await knowledge.create(tenant, { name: "Base" });
  const set = await testSets.create(tenant, { name: "Set", agentId: id });
  const upload = { title: "A", mediaType: "text/plain", bytes: new Uint8Array([65]) } as const;
  const of = { tenant, base: base.id };
  const document = await knowledge.addDocument(of, upload);
  await expectJson(await on.lock({ id: YOURS, takeOver: true }), 200);
  const before = await stored(on.kv);
  const late = [
    () => agents.replace(tenant, id, { body: { ...agentBody(), name: "Late" } }),
    () => agents.create(tenant, agentBody()),
    () => agents.delete(tenant, id),
    () => knowledge.create(tenant, { name: "Late" }),
    () => knowledge.patch(tenant, base.id, { patch: { name: "Late" } }),
    () => knowledge.addDocument(of, upload),
    () => knowledge.replaceDocument({ ...of, id: document.id }, { ...upload, title: "Late" }),
    () => knowledge.deleteDocument({ ...of, id: document.id }),
    () => knowledge.delete(tenant, base.id),
    () => testSets.patch({ tenant, id: set.id }, { patch: { name: "Late" } }),
    () => testCases.add({ tenant, id: set.id }, { cases: [{ question: "?", expectations: [] }] }),
    () => testSets.delete({ tenant, id: set.id }),
  ];
  for (const change of late) {
    const error = await change().then(() => undefined, (thrown) => thrown);
    assertEquals(error?.code, "configuration_locked", `${change}: ${error}`);
  }
  assertEquals(await stored(on.kv), before);
});

/** What people see of the configuration. */
async function stored(kv: Deno.Kv): Promise<string[]> {
  const prefixes = ["agents", "knowledge_bases", "documents", "test_sets", "test_cases"];
  const rows = await Promise.all(
    prefixes.map((prefix) => Array.fromAsync(kv.list({ prefix: [prefix] }))),
  );
  return rows.flat().filter(({ key }) => key[0] !== "documents")
    .map(({ key, versionstamp }) => `${key.join(" ")} ${versionstamp}`);
}

Deno.test("POST /v1/configuration/check: names everything that is wrong, also missing secrets, and stores nothing", async () => {
  await using on = await open();
  const tool = {
    ...{ type: "http", name: "order", description: "An order.", parameters: { type: "object" } },
    request: {
      ...{ method: "GET", url: "https://shop.example/" },
      headers: { authorization: "Bearer {{secret.SHOP}}" },
    },
  };
  const withTool = { ...agentBody(), tools: [tool], allowedDomains: ["shop.example"] };
  const json = {
    agents: [{ body: agentBody() }, { body: withTool }, { body: { name: "" } }],
    testSets: [{ body: { name: "A", agentId: MINE, judge: { provider: "vendor_a", model: "?" } } }],
  };
  const before = await stored(on.kv);
  const { issues } = await expectJson(
    await on.call("POST", "/configuration/check", { json }),
    200,
  );
  const found = issues.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`);
  assertEquals(found[0], "agents.1.tools.0.request unknown_secret");
  assert(found.some((one: string) => one.startsWith("agents.2.systemPrompt ")), String(found));
  assert(found.some((one: string) => one.startsWith("testSets.0.judge.model ")), String(found));
  assertEquals(await stored(on.kv), before);
});

Deno.test("documents: their hash, their content, and changes only of the expected content", async () => {
  await using on = await open();
  const { id } = await expectJson(await on.put("knowledge-bases/shop", { name: "Shop" }), 200);
  const path = `/knowledge-bases/${id}/documents`;
  const json = { title: "returns.md", content: "# Returns\n\nWithin 30 days." };
  const made = await expectJson(await on.call("POST", path, { json }), 201);
  const bytes = await (await on.call("GET", `${path}/${made.id}/content`)).bytes();
  assertEquals(new TextDecoder().decode(bytes), json.content);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  assertEquals(made.sha256, digest.toHex());
  const one = `${path}/${made.id}`;
  const stale = { headers: { "if-match": `"${"0".repeat(64)}"` } };
  await expectError(await on.call("PUT", one, { json, ...stale }), "version_conflict");
  await expectError(await on.call("DELETE", one, stale), "version_conflict");
  const current = { headers: { "if-match": `"${made.sha256}"` } };
  const next = { ...json, content: "Within 60 days." };
  const replaced = await expectJson(await on.call("PUT", one, { json: next, ...current }), 200);
  assert(replaced.sha256 !== made.sha256);
  await expectError(await on.call("DELETE", one, current), "version_conflict");
});
