/** What an API key that is restricted to agents reaches, on every operation that takes one. */
import { assert, assertEquals } from "@std/assert";
import type { OpenApiDocument } from "@/lib/openapi/openapi_types.ts";
import { SCOPE_NAMES } from "@/lib/schemas/scopes.ts";
import { addressOf, ApiDocument, type Documented } from "./support/api_document.ts";
import { sendFile } from "./support/attachments.ts";
import { ended } from "./support/conversations.ts";
import { expectError, expectJson } from "./support/expect_response.ts";
import { HANDOFF } from "./support/handoffs.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { TestService } from "./support/service.ts";
import { byKey, ORIGIN, say } from "./support/widget_calls.ts";

/** Rejected, because what they concern belongs to no agent or to all of them. */
const OF_ALL_AGENTS = [
  ...["createAgent", "setPublishGate", "deletePublishGate", "answerUnanswered", "readUsage"],
  ...["lockConfiguration", "unlockConfiguration", "getConfigurationLock", "listResourceKeys"],
  ...["checkConfiguration", "putResource", "deleteResource"],
  ...["createTestSet", "updateTestSet", "deleteTestSet", "listTestSets", "getTestSet"],
  ...["createTestCases", "replaceTestCase", "deleteTestCase", "createTestCaseFromRun"],
  ...["listTestCases", "getTestCase", "exportTestCases", "startTestRun", "stopTestRun"],
  ...["resumeTestRun", "deleteTestRun", "listTestRuns", "getTestRun", "listTestResults"],
  ...["exportTestResults", "compareTestRuns"],
  ...["createKnowledgeBase", "updateKnowledgeBase", "deleteKnowledgeBase", "listKnowledgeBases"],
  ...["getKnowledgeBase", "searchKnowledgeBase", "listDocuments", "getDocument"],
  ...["getDocumentContent", "createDocument", "replaceDocument", "deleteDocument"],
  ...["listWebSources", "getWebSource", "createWebSource", "updateWebSource", "deleteWebSource"],
  "refreshWebSource",
  ...["getVisitor", "exportVisitor", "eraseVisitor", "getVisitorErasure", "readVisitorUsage"],
  ...["readVisitorLimits", "setVisitorLimits"],
];

/** Answer with what belongs to the key's agents alone. */
const LISTS = ["listAgents", "listConversations", "listUnanswered", "listModels", "callMcp"];

/** 404 for another agent, its conversations, runs and files. */
const OF_ONE_AGENT = [
  ...["getAgent", "updateAgent", "deleteAgent", "listAgentVersions", "getAgentVersion"],
  ...["mintPlaygroundSession", "getPublication", "setPublication", "setCanary", "endCanary"],
  ...["readAgentFeedback", "listRehearsals", "getRehearsal", "startRehearsal", "stopRehearsal"],
  "deleteRehearsal",
  ...["getUnanswered", "dismissUnanswered", "askUnansweredAgain"],
  ...["getConversation", "deleteConversation", "exportConversation"],
  ...["streamChat", "runAgUi", "createChatCompletion", "createResponse", "getModel"],
  ...["resumeRun", "cancelRun", "decideCall", "sendCallOutput", "getSeal"],
  ...["getFeedback", "setFeedback", "deleteFeedback"],
  ...["getHandoff", "requestHandoff", "followHandoff", "sendTyping", "leaveContact"],
  ...["uploadAttachment", "getAttachment"],
  ...["mintWidgetSession", "revokeWidgetSession", "examineEmbed"],
];

/** What an agent has, by the names of parameters. */
type Ids = Record<string, string>;

async function open() {
  const service = await TestService.start(instantRuntime());
  const tenant = await service.tenant();
  const { apiKeys } = service.service;
  const free = await service.key([...SCOPE_NAMES]);
  const change = {
    ...{
      allowedOrigins: [ORIGIN],
      attachments: { images: true, documents: true },
      handoff: HANDOFF,
    },
  };
  const agents = [await service.agent(free, change), await service.agent(free, change)];
  const [mine, other] = agents.map(({ id }) => id) as [string, string];
  const input = { name: "restricted", scopes: [...SCOPE_NAMES] };
  const made = await apiKeys.create(tenant, { ...input, agents: [mine] });
  const restrict = (ids: string[]) => apiKeys.restrict(tenant, made.apiKey.id, { agents: ids });
  const key = made.secret;
  const idsOf = async (agentId: string): Promise<Ids> => {
    // Made while the key could reach the agent, so that only the restriction can hide it.
    await restrict([agentId]);
    const file = await expectJson(await sendTo(service, { key, agentId }), 201);
    const conversationId = crypto.randomUUID();
    const { runId } = await ended(await byKey(service, { key, body: { agentId, conversationId } }));
    const sessionToken = await service.mint(key, agentId, ORIGIN);
    return { agentId, conversationId, runId, fileId: file.id as string, sessionToken };
  };
  const ids = { other: await idsOf(other), mine: await idsOf(mine) };
  const document: OpenApiDocument = await (await service.fetch("/v1/openapi.json")).json();
  const operations = new ApiDocument(document).operations.filter(({ security }) =>
    security.some((scheme) => "ApiKey" in scheme)
  );
  return { service, tenant, key, restrict, ids, operations, mine, other };
}

function sendTo(service: TestService, { key, agentId }: { key: string; agentId: string }) {
  const file = { bytes: new TextEncoder().encode("Hello"), name: "a.txt", type: "text/plain" };
  return sendFile(service, { key, agentId }, file);
}

/** The id in the path of an operation. */
function idOf({ path }: Documented, ids: Ids): string {
  if (/^\/v1\/(chat\/)?conversations\//.test(path)) return ids.conversationId!;
  return path.includes("/attachments/") ? ids.fileId! : ids.agentId!;
}

function bodyOf({ operationId }: Documented, { agentId, sessionToken }: Ids): unknown {
  const messages = [say("Hello")];
  switch (operationId) {
    case "streamChat":
      return { agentId, messages };
    case "createChatCompletion":
      return { model: agentId, messages };
    case "createResponse":
      return { model: agentId, input: "Hello" };
    case "runAgUi":
      return {
        ...{ threadId: crypto.randomUUID(), runId: crypto.randomUUID(), state: {} },
        ...{ messages: [{ id: "1", ...messages[0] }], tools: [], context: [], forwardedProps: {} },
      };
    case "mintWidgetSession":
      return { agentId };
    case "revokeWidgetSession":
      return { sessionToken };
    case "examineEmbed":
      return { agentId, origin: ORIGIN };
    case "decideCall":
      return { approve: true };
    case "sendCallOutput":
      return { output: 1 };
    case "setFeedback":
      return { rating: "up" };
    case "sendTyping":
      return { typing: true };
    case "leaveContact":
      return { email: "ada@example.com", message: "Hello" };
    case "setPublication":
      return { version: 1 };
    case "setCanary":
      return { version: 1, percent: 10 };
    default:
      return {};
  }
}

Deno.test("a restricted key: every operation is rejected, or respects the key's agents", async () => {
  const { service, key, ids, operations } = await open();
  await using _ = service;
  const known = [...OF_ALL_AGENTS, ...LISTS, ...OF_ONE_AGENT];
  assertEquals(operations.map((one) => one.operationId).sort(), known.sort(), "decide for each");
  const call = async (operation: Documented, of: Ids) => {
    const { method, operationId } = operation;
    const names = { ...of, id: idOf(operation, of), rehearsalId: of.agentId!, n: "1", hash: "x" };
    const path = addressOf(operation, { ...of, ...names, kind: "agents", key: "shop" });
    if (operationId === "uploadAttachment") {
      return await sendTo(service, { key, agentId: of.agentId! });
    }
    const json = method === "GET" || operationId === "uploadAttachment"
      ? undefined
      : bodyOf(operation, of);
    return await service.fetch(path, {
      ...{ method, key, headers: { origin: ORIGIN } },
      ...json !== undefined && { json },
    });
  };
  const seen: Record<string, string> = {};
  for (const operation of operations) {
    const answer = await call(operation, ids.other);
    const { status } = answer;
    assert(String(status) in operation.responses, `${operation.operationId}: ${status}`);
    const isRestricted = (await answer.text()).includes('"key_restricted"');
    seen[operation.operationId] = isRestricted ? "rejected" : String(status);
  }
  const of = (names: string[]) => names.map((name) => `${name} ${seen[name]}`);
  assertEquals(of(OF_ALL_AGENTS), OF_ALL_AGENTS.map((name) => `${name} rejected`));
  assertEquals(of(OF_ONE_AGENT), OF_ONE_AGENT.map((name) => `${name} 404`));
  const reads = ["getAgent", "listAgentVersions", "getPublication", "readAgentFeedback"];
  const more = ["getConversation", "exportConversation", "resumeRun", "setFeedback", "getSeal"];
  const writes = ["getAttachment", "getHandoff", "streamChat", "createResponse", "getModel"];
  const last = ["mintWidgetSession", "examineEmbed", "uploadAttachment", "revokeWidgetSession"];
  for (const name of [...reads, ...more, ...writes, ...last]) {
    const answer = await call(operations.find((one) => one.operationId === name)!, ids.mine);
    await answer.body?.cancel();
    assert(answer.status < 300, `${name} of the key's own agent: ${answer.status}`);
  }
});

Deno.test("a restricted key: lists have what belongs to its agents alone, page by page", async () => {
  const { service, key, restrict, ids, mine, other } = await open();
  await using _ = service;
  const list = async (path: string) =>
    (await expectJson(await service.fetch(path, { key }), 200)) as {
      data: { id: string }[];
      nextCursor?: string;
    };
  const idsIn = async (path: string) => (await list(path)).data.map(({ id }) => id);
  assertEquals(await idsIn("/v1/agents"), [mine]);
  assertEquals(await idsIn("/v1/openai/models"), [mine]);
  assertEquals(await idsIn("/v1/conversations"), [ids.mine.conversationId]);
  assertEquals(await idsIn("/v1/unanswered"), []);
  await expectError(
    await service.fetch(`/v1/conversations?agentId=${other}`, { key }),
    "not_found",
  );
  await restrict([mine, other, crypto.randomUUID()]);
  const first = await list("/v1/agents?limit=1");
  assertEquals(first.data.map(({ id }) => id), [other], "the newest first");
  assertEquals(await idsIn(`/v1/agents?limit=1&cursor=${first.nextCursor}`), [mine]);
  // Which agent's conversations are meant must be said.
  await expectError(await service.fetch("/v1/conversations", { key }), "schema_validation_failed");
  const named = `/v1/conversations?agentId=${other}`;
  assertEquals(await idsIn(named), [ids.other.conversationId]);
});

Deno.test("a restricted key: the MCP server offers its agents, and no search of knowledge", async () => {
  const { service, key, mine, other } = await open();
  await using _ = service;
  const call = async (method: string, params: Record<string, unknown>) => {
    const json = { jsonrpc: "2.0", id: 1, method, params };
    const headers = { accept: "application/json, text/event-stream" };
    const answer = await service.fetch("/v1/mcp", { method: "POST", key, json, headers });
    return await answer.text();
  };
  const tools = await call("tools/list", {});
  assertEquals(tools.includes("search_knowledge"), false);
  assertEquals(JSON.parse(tools).result.tools.length, 2, "ask_agent and the agent's own");
  const ask = (agent: string) =>
    call("tools/call", { name: "ask_agent", arguments: { agent, message: "Hello" } });
  assert((await ask(other)).includes("there is no such agent"));
  assert((await ask(mine)).includes("demo model"));
});

Deno.test("a restricted key: sets no limits of visitors, which hold for all agents", async () => {
  const { service, key, mine } = await open();
  await using _ = service;
  const mint = (visitor: Record<string, unknown>) =>
    service.fetch("/v1/widget/session", {
      ...{ method: "POST", key, json: { agentId: mine, visitor }, headers: { origin: ORIGIN } },
    });
  await expectJson(await mint({ id: "ada" }), 201);
  const limits = { messages: 10, per: "day" };
  await expectError(await mint({ id: "ada", limits }), "key_restricted");
});

Deno.test("a restricted key: gives its agent neither a knowledge base nor another agent to ask", async () => {
  const { service, key, mine, other } = await open();
  await using _ = service;
  const patch = (json: unknown) =>
    service.fetch(`/v1/agents/${mine}`, { method: "PATCH", key, json });
  const tool = { type: "agent", name: "ask", description: "Asks.", agentId: other.toUpperCase() };
  await expectError(await patch({ tools: [tool] }), "key_restricted");
  await expectError(await patch({ knowledgeBaseId: crypto.randomUUID() }), "key_restricted");
  await expectError(await patch({ knowledgeBaseId: null }), "key_restricted");
  await expectJson(await patch({ name: "Renamed", tools: [] }), 200);
});

Deno.test("a restricted key: an answer that was stored before a restriction is not replayed after it", async () => {
  const { service, key, restrict, mine, other } = await open();
  await using _ = service;
  await restrict([other]);
  const mint = () =>
    service.fetch("/v1/widget/session", {
      ...{ method: "POST", key, json: { agentId: other } },
      headers: { origin: ORIGIN, "idempotency-key": "a-key-of-the-client" },
    });
  await expectJson(await mint(), 201);
  await restrict([mine]);
  await expectError(await mint(), "not_found");
});
