/** Every success that the API document lists, checked against real responses. */
import { assert, assertArrayIncludes, assertEquals } from "@std/assert";
import type { OpenApiDocument } from "@/lib/openapi/openapi_types.ts";
import { SCOPE_NAMES } from "@/lib/schemas/scopes.ts";
import { fullAgentBody } from "./support/agent_bodies.ts";
import { addressOf, type Answered, answeredBy, ApiDocument } from "./support/api_document.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { TestService } from "./support/service.ts";
import { ORIGIN, say } from "./support/widget_calls.ts";

interface Call extends RequestInit {
  /** Path parameters. */
  at?: Record<string, string>;
  query?: string;
  json?: unknown;
  headers?: Record<string, string>;
}

/** Calls operations by their id and records which responses have been seen. */
class Walk {
  readonly seen = new Set<string>();
  readonly api: ApiDocument;
  #service: TestService;
  #key: string;

  constructor(service: TestService, parts: { api: ApiDocument; key: string }) {
    this.#service = service;
    this.api = parts.api;
    this.#key = parts.key;
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
  await using service = await TestService.start(instantRuntime());
  const document: OpenApiDocument = await (await service.fetch("/v1/openapi.json")).json();
  const key = await service.key([...SCOPE_NAMES]);
  const walk = new Walk(service, { api: new ApiDocument(document), key });
  const id = await agents(walk);
  await sessions(walk, id);
  await conversations(walk);
  await formats(walk, id);
  await knowledge(walk, service);
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  await walk.call("callMcp", 200, { json: list });
  const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };
  await walk.call("callMcp", 202, { json: initialized });
  await walk.call("deleteAgent", 204, { at: { id }, headers: { "if-match": "*" } });
  await walk.call("readUsage", 200, { query: "?from=2026-01-01" });
  const { client, widget } = service.service;
  await scripts(walk, { Widget: widget.hash12, Client: client.hash12 });
  const pages = ["getClientTypes", "getHealth", "getReadiness", "getOpenApi", "getDocs"];
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
  const shown = await walk.call("getWidgetAppearance", 200, { at: { agent: agent.id } });
  assertEquals(JSON.parse(shown.text), agent.appearance);
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
  const minted = await walk.call("mintWidgetSession", 201, { json: { agentId: id }, headers });
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
  await runs(walk, { runId: streamed.headers.get("x-run-id")!, sessionToken });
  await walk.call("revokeWidgetSession", 204, { json: { sessionToken } });
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
}

async function conversations(walk: Walk): Promise<void> {
  const page = await walk.call("listConversations", 200, { query: "?limit=1" });
  const [{ id, agentId }] = JSON.parse(page.text).data;
  const query = `?agentId=${agentId}`;
  const { text } = await walk.call("getConversation", 200, { at: { id }, query });
  const [run] = JSON.parse(text).runs;
  assertEquals(run.toolCalls[0].name, "lookup");
  await walk.call("deleteConversation", 204, { at: { id } });
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
  const found = await walk.call("searchKnowledgeBase", 200, { at, json: { query: "30 days" } });
  assertEquals(JSON.parse(found.text).passages[0].documentId, of.documentId);
  await walk.call("deleteDocument", 204, { at: of });
  await walk.call("deleteKnowledgeBase", 204, { at });
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
