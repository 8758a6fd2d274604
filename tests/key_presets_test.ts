/** What an API key of each preset may do, tried on every operation of the API. */
import { assertEquals } from "@std/assert";
import { KEY_PRESETS } from "@/lib/dashboard/key_presets.ts";
import type { OpenApiDocument } from "@/lib/openapi/openapi_types.ts";
import { addressOf, ApiDocument, type Documented } from "./support/api_document.ts";
import { TestService } from "./support/service.ts";

const ID = crypto.randomUUID();
const IDS = {
  id: ID,
  agentId: ID,
  documentId: ID,
  runId: ID,
  rehearsalId: ID,
  caseId: ID,
  testRunId: ID,
  sourceId: ID,
  n: "1",
  ...{ kind: "agents", key: "shop" },
  hash: "0123456789ab",
};

/** The operations that each preset's text promises; all others are forbidden. */
const PROMISED: Record<string, readonly string[]> = {
  website: [
    "callMcp",
    "mintWidgetSession",
    "revokeWidgetSession",
    "examineEmbed",
    ...chat(),
    ...["readVisitorLimits", "setVisitorLimits"],
  ],
  agents: [
    ...["callMcp", "listAgents", "createAgent", "getAgent", "updateAgent", "deleteAgent"],
    ...["listAgentVersions", "getAgentVersion", "mintPlaygroundSession"],
    ...["getPublication", "setPublication", "setPublishGate", "deletePublishGate"],
    ...["setCanary", "endCanary"],
    ...["startRehearsal", "stopRehearsal", "deleteRehearsal"],
    ...["lockConfiguration", "unlockConfiguration", ...readConfiguration()],
    ...["putResource", "deleteResource"],
    ...["createTestSet", "updateTestSet", "deleteTestSet", ...readTests()],
    ...["createTestCases", "replaceTestCase", "deleteTestCase"],
    // With a valid body it also needs to read conversations.
    "createTestCaseFromRun",
    ...["startTestRun", "stopTestRun", "resumeTestRun", "deleteTestRun"],
    "readAgentFeedback",
    ...["createKnowledgeBase", "updateKnowledgeBase", "deleteKnowledgeBase"],
    "answerUnanswered",
    ...["createDocument", "replaceDocument", "deleteDocument", ...readKnowledge(), ...chat()],
    ...["createWebSource", "updateWebSource", "deleteWebSource", "refreshWebSource"],
  ],
  reports: [
    ...["callMcp", "listAgents", "getAgent", "listAgentVersions", "getAgentVersion"],
    ...["getPublication", ...readConfiguration()],
    ...["readUsage", "readAgentFeedback", "readVisitorUsage"],
    ...["listConversations", "getConversation", "exportConversation", ...readKnowledge()],
    ...["listRehearsals", "getRehearsal", "listUnanswered", "getUnanswered", ...readTests()],
    ...["getVisitor", "exportVisitor", "getVisitorErasure"],
  ],
};

function readConfiguration(): string[] {
  return ["getConfigurationLock", "listResourceKeys", "checkConfiguration"];
}

function readTests(): string[] {
  return [
    ...["listTestSets", "getTestSet", "listTestCases", "getTestCase", "exportTestCases"],
    ...["listTestRuns", "getTestRun", "listTestResults", "exportTestResults", "compareTestRuns"],
  ];
}

function chat(): string[] {
  return [
    ...["streamChat", "resumeRun", "cancelRun", "runAgUi", "uploadAttachment", "getAttachment"],
    ...["decideCall", "sendCallOutput"],
    ...["getFeedback", "setFeedback", "deleteFeedback", "getSeal"],
    ...["getHandoff", "requestHandoff", "followHandoff", "sendTyping", "leaveContact"],
    ...["createChatCompletion", "createResponse", "listModels", "getModel"],
  ];
}

function readKnowledge(): string[] {
  return [
    ...["listKnowledgeBases", "getKnowledgeBase", "searchKnowledgeBase"],
    ...["listDocuments", "getDocument", "getDocumentContent", "listWebSources", "getWebSource"],
  ];
}

/** A form where the operation takes nothing else: it rejects other types before it knows the key. */
function emptyBody({ requestBody }: Documented): { json: unknown } | { body: FormData } {
  const types = Object.keys(requestBody?.content ?? {});
  if (types.length !== 1 || types[0] !== "multipart/form-data") return { json: {} };
  const body = new FormData();
  body.set("file", new File(["Hello"], "hello.txt"));
  return { body };
}

for (const { id, title, scopes } of KEY_PRESETS) {
  Deno.test(`API key preset "${title}": may do what it says, and nothing else`, async () => {
    await using service = await TestService.start();
    const document: OpenApiDocument = await (await service.fetch("/v1/openapi.json")).json();
    const operations = new ApiDocument(document).operations.filter(({ security }) =>
      security.some((scheme) => "ApiKey" in scheme)
    );
    const key = await service.key([...scopes]);
    const allowed: string[] = [];
    for (const operation of operations) {
      const { method, operationId } = operation;
      const answer = await service.fetch(addressOf(operation, IDS), {
        method,
        key,
        ...method !== "GET" && method !== "DELETE" && emptyBody(operation),
      });
      const isForbidden = (await answer.text()).includes('"insufficient_scope"');
      if (!isForbidden) allowed.push(operationId);
    }
    const promised = PROMISED[id] ?? operations.map(({ operationId }) => operationId);
    assertEquals(allowed.sort(), [...promised].sort());
  });
}
