/** Every success that the API document lists, checked against real responses. */
import { assert, assertArrayIncludes, assertEquals } from "@std/assert";
import { keys } from "@/lib/store/keys/keys.ts";
import { newActiveRun } from "@/lib/store/runs/active_run.ts";
import type { OpenApiDocument } from "@/lib/openapi/openapi_types.ts";
import { SCOPE_NAMES } from "@/lib/schemas/scopes.ts";
import { fullAgentBody, httpTool } from "./support/agent_bodies.ts";
import { addressOf, type Answered, answeredBy, ApiDocument } from "./support/api_document.ts";
import { makePng } from "./support/make_image.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { openTestKv } from "./support/open_kv.ts";
import { TestService } from "./support/service.ts";
import { finish, pageTool, untilPending } from "./support/waiting_calls.ts";
import { ORIGIN, say } from "./support/widget_calls.ts";

/** The id of a conversation that its client chooses. */
const NEW = "0b1f4c9e-52d7-4e0a-9a63-7c8d2e1f5a40";

interface Call extends RequestInit {
  /** Path parameters. */
  at?: Record<string, string>;
  query?: string;
  json?: unknown;
  headers?: Record<string, string>;
  /** `undefined` for a session alone: a key would decide. */
  key?: string | undefined;
}

/** Calls operations by their id and records which responses have been seen. */
class Walk {
  readonly seen = new Set<string>();
  readonly api: ApiDocument;
  readonly service: TestService["service"];
  #service: TestService;
  #key: string;

  constructor(service: TestService, parts: { api: ApiDocument; key: string }) {
    this.#service = service;
    this.service = service.service;
    this.api = parts.api;
    this.#key = parts.key;
  }

  /** A person closes a conversation. */
  async close(id: string): Promise<void> {
    const { handoffs } = this.#service.service;
    const place = await handoffs.locate(await this.#service.tenant(), id, {});
    await handoffs.act(place!.name, { type: "close" });
  }

  /** Sends a body whose answer is read while it is written. */
  send(path: string, json: unknown): Promise<Response> {
    return this.#service.fetch(path, { method: "POST", key: this.#key, json });
  }

  /** Sends the call and checks that the response has `status` and matches the document. */
  async call(id: string, status: number, call: Call = {}): Promise<Answered> {
    const operation = this.api.find(id);
    const { at = {}, query = "", ...init } = call;
    const path = addressOf(operation, at) + query;
    const { method } = operation;
    const response = await this.#service.fetch(path, { method, key: this.#key, ...init });
    const answered = await answeredBy(response);
    assertEquals(answered.status, status, `${id}: ${answered.text}`);
    assertEquals(this.api.faultsOf(operation, answered), [], `${id}: ${answered.text}`);
    this.seen.add(`${id} ${status}`);
    return answered;
  }
}

/** Every success that the document lists, as `operationId status`. */
function promised({ operations }: ApiDocument): string[] {
  return operations.flatMap(({ operationId, responses }) =>
    Object.keys(responses).filter((status) => Number(status) < 400)
      .map((status) => `${operationId} ${status}`)
  );
}

Deno.test("GET /v1/openapi.json: every success of every operation is as documented", async () => {
  const kv = await openTestKv();
  await using service = await TestService.start({ ...instantRuntime(), kv });
  const document: OpenApiDocument = await (await service.fetch("/v1/openapi.json")).json();
  const key = await service.key([...SCOPE_NAMES]);
  const walk = new Walk(service, { api: new ApiDocument(document), key });
  const id = await agents(walk);
  await sessions(walk, id);
  await attachments(walk);
  await testSets(walk, { kv, tenant: await service.tenant() });
  await conversations(walk);
  await waitingCalls(walk);
  await visitors(walk, id);
  await erasures(walk, { kv, tenant: await service.tenant() });
  await formats(walk, id);
  await knowledge(walk, service);
  await configuration(walk);
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  await walk.call("callMcp", 200, { json: list });
  const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };
  await walk.call("callMcp", 202, { json: initialized });
  await walk.call("deleteAgent", 204, { at: { id }, headers: { "if-match": "*" } });
  await walk.call("readUsage", 200, { query: "?from=2026-01-01" });
  const { client, panel, extras, texts, widget } = service.service;
  await scripts(walk, { Widget: widget.hash12, Client: client.hash12 });
  await walk.call("getPinnedWidgetPanel", 200, { at: { hash: panel.hash12 } });
  await walk.call("getPinnedWidgetExtras", 200, { at: { hash: extras.hash12 } });
  await walk.call("getWidgetTexts", 200, { at: { hash: texts.hash12 }, query: "?lang=de" });
  const pages = [
    "getSealKeys",
    "getClientTypes",
    "getHealth",
    "getReadiness",
    "getOpenApi",
    "getDocs",
  ];
  for (const page of pages) await walk.call(page, 200);
  assertEquals([...walk.seen].sort(), promised(walk.api).sort());
});

/** Creates, reads and changes agents; returns the id of one. */
async function agents(walk: Walk): Promise<string> {
  const small = await walk.call("createAgent", 201, {
    json: { ...fullAgentBody(), fallback: undefined, tools: [] },
  });
  const created = await walk.call("createAgent", 201, { json: fullAgentBody() });
  const agent = JSON.parse(created.text);
  const at = { id: agent.id };
  assertEquals(created.headers.get("location"), `/v1/agents/${agent.id}`);
  await walk.call("getAgent", 200, { at });
  const etag = created.headers.get("etag")!;
  await walk.call("getAgent", 304, { at, headers: { "if-none-match": etag } });
  const json = { budget: { maxSteps: 8 }, fallback: null };
  await walk.call("updateAgent", 200, { at, json, headers: { "if-match": etag } });
  await walk.call("listAgentVersions", 200, { at });
  await walk.call("getAgentVersion", 200, { at: { ...at, n: "1" } });
  await walk.call("setPublication", 200, { at, json: { mode: "manual", version: 1 } });
  await walk.call("setCanary", 200, { at, json: { version: 2, percent: 10 } });
  await walk.call("endCanary", 200, { at });
  const testSet = { name: "Gate", agentId: agent.id };
  const gate = JSON.parse((await walk.call("createTestSet", 201, { json: testSet })).text);
  await walk.call("setPublishGate", 200, { at, json: { testSetId: gate.id } });
  await walk.call("deletePublishGate", 200, { at });
  await walk.call("setPublication", 200, { at, json: { mode: "automatic" } });
  await walk.call("getPublication", 200, { at });
  const shown = await walk.call("getWidgetAppearance", 200, { at: { agent: agent.id } });
  assertEquals(JSON.parse(shown.text), { ...agent.appearance, offers: ["handoff", "memory"] });
  const page = await walk.call("listAgents", 200, { query: "?limit=1" });
  const { data, nextCursor } = JSON.parse(page.text);
  const rest = await walk.call("listAgents", 200, { query: `?cursor=${nextCursor}` });
  const listed = [...data, ...JSON.parse(rest.text).data].map((one: { id: string }) => one.id);
  assertEquals(new Set(listed).size, listed.length);
  assertArrayIncludes(listed, [agent.id, JSON.parse(small.text).id]);
  return agent.id;
}

async function sessions(walk: Walk, id: string): Promise<void> {
  const headers = { origin: ORIGIN };
  const visitor = { id: "ada@shop.example" };
  const minted = await walk.call("mintWidgetSession", 201, {
    json: { agentId: id, visitor },
    headers,
  });
  await walk.call("mintPlaygroundSession", 201, { at: { id } });
  await walk.call("examineEmbed", 200, { json: { agentId: id, origin: "http://localhost:3000" } });
  const { sessionToken } = JSON.parse(minted.text);
  const messages = [say(`use lookup with {"q":"violets"}`)];
  const json = { agentId: id, sessionToken, messages };
  const bySession = { json, headers: { ...headers, "x-service-session": sessionToken } };
  const streamed = await walk.call("streamChat", 200, bySession);
  for (const type of ["start", "tool_call", "tool_result", "delta", "usage", "done"]) {
    assert(streamed.text.includes(`event: ${type}\n`), type);
  }
  const own = { headers: bySession.headers, key: undefined };
  await walk.call("streamChat", 200, { ...own, json: { ...json, conversationId: NEW } });
  const listed = await walk.call("listOwnConversations", 200, own);
  assertEquals(JSON.parse(listed.text).data.map((one: { id: string }) => one.id), [NEW]);
  const at = { id: NEW };
  await walk.call("getOwnConversation", 200, { at, ...own });
  await walk.call("renameOwnConversation", 200, { at, ...own, json: { title: "Violets" } });
  await walk.call("deleteOwnConversation", 204, { at, ...own });
  await runs(walk, { runId: streamed.headers.get("x-run-id")!, sessionToken });
  await handoffs(walk, { id: frameOf(streamed).conversationId, sessionToken, agentId: id });
  await walk.call("revokeWidgetSession", 204, { json: { sessionToken } });
}

/** The `start` frame of a stream. */
function frameOf({ text }: Answered): { conversationId: string } {
  return JSON.parse(/^data: (.*"type":"start".*)$/m.exec(text)![1]!);
}

/** A person takes and closes a conversation; another one is left outside business hours. */
async function handoffs(
  walk: Walk,
  { id, sessionToken, agentId }: { id: string; sessionToken: string; agentId: string },
): Promise<void> {
  const headers = { origin: ORIGIN, "x-service-session": sessionToken };
  const call = { at: { id }, headers };
  await walk.call("getHandoff", 200, call);
  await walk.call("followHandoff", 204, call);
  await walk.call("requestHandoff", 200, call);
  await walk.call("sendTyping", 204, call);
  const messages = [say("Is anybody there?")];
  const json = { agentId, sessionToken, conversationId: id, messages };
  await walk.call("streamChat", 200, { json, headers });
  await walk.close(id);
  const feed = await walk.call("followHandoff", 200, call);
  assert(feed.text.includes("event: state\n"));
  // The clock of the test stands on a Thursday.
  const week = [{ day: "fri", from: "08:00", to: "09:00" }];
  const handoff = { ...fullAgentBody().handoff, businessHours: { timeZone: "UTC", week } };
  await walk.call("updateAgent", 200, { at: { id: agentId }, json: { handoff } });
  await walk.call("requestHandoff", 200, call);
  const contact = { email: "jo@example.com", message: "Please call me." };
  await walk.call("leaveContact", 204, { ...call, json: contact });
}

/** The same agent for clients of other formats. */
async function formats(walk: Walk, id: string): Promise<void> {
  const messages = [say("hello")];
  for (const stream of [true, false]) {
    await walk.call("createChatCompletion", 200, { json: { model: id, messages, stream } });
    await walk.call("createResponse", 200, { json: { model: id, input: "hello", stream } });
  }
  await walk.call("listModels", 200);
  await walk.call("getModel", 200, { at: { id } });
  const input = { threadId: "t", runId: "r", messages };
  await walk.call("runAgUi", 200, { at: { agentId: id }, json: input });
}

async function runs(walk: Walk, run: { runId: string; sessionToken: string }): Promise<void> {
  const at = { runId: run.runId };
  const headers = { origin: ORIGIN, "x-service-session": run.sessionToken };
  const replayed = await walk.call("resumeRun", 200, { at, headers });
  assert(replayed.text.includes("event: done\n"));
  await walk.call("resumeRun", 204, { at, headers, query: "?after=1000" });
  await walk.call("cancelRun", 202, { at, headers });
  const json = { rating: "down", comment: "Too long", reasons: ["tone"] };
  await walk.call("setFeedback", 204, { at, headers, json });
  const read = await walk.call("getFeedback", 200, { at, headers });
  await walk.call("getSeal", 200, { at, headers });
  assertEquals(JSON.parse(read.text).comment, json.comment);
}

async function visitors(walk: Walk, agentId: string): Promise<void> {
  const at = { id: "ada%40shop.example" };
  const json = { costUsd: 1, messages: 5, per: "day" };
  await walk.call("setVisitorLimits", 200, { at, json });
  await walk.call("readVisitorLimits", 200, { at });
  await walk.call("readVisitorUsage", 200, { at });
  const minted = await walk.call("mintWidgetSession", 201, {
    json: { agentId, visitor: { id: "ada@shop.example" } },
    headers: { origin: ORIGIN },
  });
  const { sessionToken } = JSON.parse(minted.text);
  const headers = { "x-service-session": sessionToken, origin: ORIGIN };
  await walk.call("readOwnLimits", 200, { headers });
  await facts(walk, { agentId, sessionToken });
  await walk.call("exportVisitor", 200, { at });
}

/** A visitor changes and deletes what the demo model remembers. */
async function facts(walk: Walk, body: { agentId: string; sessionToken: string }): Promise<void> {
  const own = {
    headers: { origin: ORIGIN, "x-service-session": body.sessionToken },
    key: undefined,
  };
  const messages = [say("Please remember that I like violets.")];
  await walk.call("streamChat", 200, { ...own, json: { ...body, messages } });
  const listed = await walk.call("listFacts", 200, own);
  const [fact] = JSON.parse(listed.text).facts;
  const at = { id: fact.id };
  await walk.call("editFact", 204, { at, ...own, json: { text: "Likes roses." } });
  await walk.call("deleteFact", 204, { at, ...own });
  await walk.call("deleteFacts", 204, own);
}

/** An erasure takes longer while a run of the visitor is active. */
async function erasures(walk: Walk, { kv, tenant }: { kv: Deno.Kv; tenant: string }) {
  const at = { id: "grace" };
  const { keyedDigest } = walk.service;
  const visitor = keyedDigest(JSON.stringify(["visitor", tenant, at.id]));
  const runId = crypto.randomUUID();
  const facts = {
    ...{ runId, tenant, agentId: NEW, agentVersion: 1, conversationId: NEW, visitor },
    source: { kind: "session" as const, id: NEW },
    ...{ provider: "vendor_a" as const, model: "demo", startedAt: 0 },
  };
  const key = keys.activeRun(tenant, runId);
  const ledger = keys.sessionLedger(tenant, "of another process");
  const lease = { until: Number.MAX_SAFE_INTEGER, hold: 0 };
  await kv.set(ledger, { v: 1, period: "", spent: 0, runs: { [runId]: lease } });
  await kv.set(key, newActiveRun(facts, [{ kind: "session", key: ledger }]));
  const running = await walk.call("eraseVisitor", 202, { at });
  const { id } = JSON.parse(running.text);
  assertEquals(running.headers.get("location"), `/v1/visitor-erasures/${id}`);
  await kv.delete(key);
  await walk.call("getVisitor", 200, { at });
  await walk.call("eraseVisitor", 202, { at });
  const done = await walk.call("getVisitorErasure", 200, { at: { id } });
  assertEquals(JSON.parse(done.text).state, "done");
}

async function conversations(walk: Walk): Promise<void> {
  const page = await walk.call("listConversations", 200, { query: "?limit=1" });
  const [{ id, agentId }] = JSON.parse(page.text).data;
  const query = `?agentId=${agentId}`;
  const { text } = await walk.call("getConversation", 200, { at: { id }, query });
  await walk.call("exportConversation", 200, { at: { id }, query });
  await rehearsals(walk, agentId);
  await unanswered(walk);
  const [run] = JSON.parse(text).runs;
  assertEquals(run.toolCalls[0].name, "lookup");
  assertEquals(run.feedback.reasons, ["tone"]);
  const counted = await walk.call("readAgentFeedback", 200, { at: { id: agentId } });
  assertEquals(JSON.parse(counted.text).down, 1);
  await walk.call("deleteFeedback", 204, { at: { runId: run.runId } });
  await walk.call("deleteConversation", 204, { at: { id } });
}

async function attachments(walk: Walk): Promise<void> {
  const json = { ...fullAgentBody(), fallback: undefined, tools: [] };
  const agent = await walk.call("createAgent", 201, {
    json: { ...json, attachments: { images: true, documents: true } },
  });
  const { id: agentId } = JSON.parse(agent.text);
  for (const [name, bytes] of [["a.png", makePng()], ["a.txt", "Hello"]] as const) {
    const body = new FormData();
    body.set("file", new File([bytes], name));
    const query = `?agentId=${agentId}`;
    const { text } = await walk.call("uploadAttachment", 201, { query, body });
    await walk.call("getAttachment", 200, { at: { id: JSON.parse(text).id } });
  }
}

/** A backend's message that makes a call wait, which the backend then answers. */
async function waitingCalls(walk: Walk): Promise<void> {
  const tools = [httpTool({ approval: "visitor" }), pageTool()];
  const agent = await walk.call("createAgent", 201, {
    json: { ...fullAgentBody(), fallback: undefined, tools },
  });
  const { id: agentId } = JSON.parse(agent.text);
  const answers = [
    ["lookup", "decideCall", { approve: false }],
    ["cart", "sendCallOutput", { output: { items: 1 } }],
  ] as const;
  for (const [tool, operation, json] of answers) {
    const body = { agentId, messages: [say(`use ${tool} with {}`)] };
    const { sse, runId, n } = await untilPending(await walk.send("/v1/chat/stream", body));
    await walk.call(operation, 204, { at: { runId, n: String(n) }, json });
    await finish(sse);
  }
}

async function knowledge(walk: Walk, { service }: TestService): Promise<void> {
  const json = { name: "Shop", description: "All of it" };
  const { id } = JSON.parse((await walk.call("createKnowledgeBase", 201, { json })).text);
  const at = { id };
  await walk.call("getKnowledgeBase", 200, { at });
  await walk.call("updateKnowledgeBase", 200, { at, json: { description: "" } });
  await walk.call("listKnowledgeBases", 200);
  const zip = new FormData();
  zip.set("file", new File(["PK\x03\x04"], "a.zip"));
  await walk.call("createDocument", 201, { at, body: zip });
  const document = { title: "Returns", content: "# Books\n\nWithin 30 days." };
  const created = await walk.call("createDocument", 201, { at, json: document });
  await service.documents.whenIdle();
  const states = JSON.parse((await walk.call("listDocuments", 200, { at })).text).data
    .map(({ state }: { state: string }) => state);
  assertEquals(states.sort(), ["failed", "ready"]);
  const of = { ...at, documentId: JSON.parse(created.text).id };
  await walk.call("getDocument", 200, { at: of });
  await walk.call("getDocumentContent", 200, { at: of });
  await walk.call("replaceDocument", 200, { at: of, json: document });
  const found = await walk.call("searchKnowledgeBase", 200, { at, json: { query: "30 days" } });
  assertEquals(JSON.parse(found.text).passages[0].documentId, of.documentId);
  await walk.call("deleteDocument", 204, { at: of });
  await webSources(walk, at);
  await walk.call("deleteKnowledgeBase", 204, { at });
}

async function configuration(walk: Walk): Promise<void> {
  const lock = { id: NEW, note: "A test" };
  await walk.call("lockConfiguration", 200, { json: lock });
  await walk.call("getConfigurationLock", 200);
  const json = { name: "Shop" };
  const at = { kind: "knowledge-bases", key: "shop" };
  const headers = { "configuration-lock": NEW };
  await walk.call("putResource", 200, { at, json, headers });
  await walk.call("putResource", 200, { at, json: { name: "Store" }, headers });
  await walk.call("listResourceKeys", 200);
  await walk.call("checkConfiguration", 200, { json: { agents: [{ body: fullAgentBody() }] } });
  await walk.call("deleteResource", 204, { at, headers: { ...headers, "if-match": '"2"' } });
  await walk.call("unlockConfiguration", 204, { headers });
}

async function webSources(walk: Walk, base: { id: string }): Promise<void> {
  const json = { url: "https://127.0.0.1:9/", kind: "page" };
  const { text } = await walk.call("createWebSource", 201, { at: base, json });
  const at = { ...base, sourceId: JSON.parse(text).id };
  await walk.call("listWebSources", 200, { at: base });
  await walk.call("updateWebSource", 200, { at, json: { schedule: "daily" } });
  await walk.call("refreshWebSource", 202, { at });
  await walk.call("getWebSource", 200, { at });
  await walk.call("deleteWebSource", 204, { at });
}

async function scripts(walk: Walk, hashes: Record<string, string>): Promise<void> {
  for (const [name, hash] of Object.entries(hashes)) {
    const script = await walk.call(`get${name}Script`, 200);
    const known = { "if-none-match": script.headers.get("etag")! };
    await walk.call(`get${name}Script`, 304, { headers: known });
    await walk.call(`getPinned${name}Script`, 200, { at: { hash } });
    await walk.call(`get${name}Info`, 200);
  }
}

async function testSets(walk: Walk, { kv, tenant }: { kv: Deno.Kv; tenant: string }) {
  const listed = JSON.parse(
    (await walk.call("listConversations", 200, { query: "?limit=1" })).text,
  );
  const [{ id: conversationId, agentId }] = listed.data;
  const query = `?agentId=${agentId}`;
  const at0 = { id: conversationId };
  const [{ runId }] = JSON.parse((await walk.call("getConversation", 200, { at: at0, query })).text)
    .runs;
  const json = { name: "Returns", agentId };
  const set = { id: JSON.parse((await walk.call("createTestSet", 201, { json })).text).id };
  await walk.call("listTestSets", 200);
  await walk.call("updateTestSet", 200, { at: set, json: { threshold: 0.5 } });
  await walk.call("getTestSet", 200, { at: set });
  const cases = [{ question: "Hello?", expectations: [{ type: "contains", text: "e" }] }];
  const added = await walk.call("createTestCases", 201, { at: set, json: { cases } });
  const [caseId] = JSON.parse(added.text).ids;
  await walk.call("createTestCaseFromRun", 201, { at: set, json: { runId } });
  await walk.call("listTestCases", 200, { at: set });
  await walk.call("exportTestCases", 200, { at: set });
  const one = { ...set, caseId };
  await walk.call("getTestCase", 200, { at: one });
  await walk.call("replaceTestCase", 200, { at: one, json: cases[0] });
  const runs: string[] = [];
  for (let n = 0; n < 2; n++) {
    const { text } = await walk.call("startTestRun", 202, { at: set, json: {} });
    runs.push(JSON.parse(text).id);
    const at = { ...set, testRunId: runs.at(-1)! };
    const isRunning = async () =>
      JSON.parse((await walk.call("getTestRun", 200, { at })).text).state === "running";
    while (await isRunning());
  }
  const at = { ...set, testRunId: runs.at(-1)! };
  await walk.call("listTestRuns", 200, { at: set });
  await walk.call("listTestResults", 200, { at });
  await walk.call("exportTestResults", 200, { at });
  await walk.call("exportTestResults", 200, { at, query: "?format=csv" });
  await walk.call("compareTestRuns", 200, { at });
  await walk.call("stopTestRun", 202, { at });
  const key = keys.testRun(tenant, set.id, at.testRunId);
  const { value } = await kv.get<object>(key);
  await kv.set(key, { ...value, state: "stopped" });
  await walk.call("resumeTestRun", 202, { at });
  await walk.call("deleteTestRun", 204, { at });
  await walk.call("deleteTestCase", 204, { at: one });
  await walk.call("deleteTestSet", 204, { at: set });
}

/** The conversation has an answer that is rated down. */
async function unanswered(walk: Walk): Promise<void> {
  const { text } = await walk.call("listUnanswered", 200);
  const at = { runId: JSON.parse(text).data[0].id };
  const base = await walk.call("createKnowledgeBase", 201, { json: { name: "Answers" } });
  const { id: knowledgeBaseId } = JSON.parse(base.text);
  const json = { title: "Parking", content: "Behind the shop.", knowledgeBaseId };
  await walk.call("answerUnanswered", 201, { at, json });
  await walk.call("askUnansweredAgain", 202, { at });
  await walk.call("getUnanswered", 200, { at });
  await walk.call("dismissUnanswered", 204, { at });
}

async function rehearsals(walk: Walk, agentId: string): Promise<void> {
  const agent = { id: agentId };
  const { text } = await walk.call("startRehearsal", 202, {
    ...{ at: agent, json: { runs: 2, budgetUsd: 0.5 } },
  });
  const at = { ...agent, rehearsalId: JSON.parse(text).id };
  await walk.call("listRehearsals", 200, { at: agent });
  await walk.call("stopRehearsal", 202, { at });
  await walk.call("getRehearsal", 200, { at });
  await walk.call("deleteRehearsal", 204, { at });
}
