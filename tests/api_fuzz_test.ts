/** Ten thousand requests generated from the API document, whose responses must match it. */
import { assertEquals } from "@std/assert";
import type { OpenApiDocument } from "@/lib/openapi/openapi_types.ts";
import { SCOPE_NAMES } from "@/lib/schemas/scopes.ts";
import { answeredBy, ApiDocument, type Documented } from "./support/api_document.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { SeededRandom } from "./support/fuzz/seeded_random.ts";
import { toBodyInit } from "./support/fuzz/fuzz_bodies.ts";
import { type FuzzCall, fuzzCall } from "./support/fuzz/fuzz_call.ts";
import { FuzzContext } from "./support/fuzz/fuzz_context.ts";
import { httpTool } from "./support/agent_bodies.ts";
import { TestService } from "./support/service.ts";
import { byKey, onPage, ORIGIN, say } from "./support/widget_calls.ts";

const REQUESTS = 10_000;
const AT_ONCE = 32;
/** Rounds for operations that have not succeeded by then. */
const MORE_ROUNDS = 100;
/** A request that takes this long hangs. */
const HANGS_MS = 20_000;
/** Clock step between batches: rate windows empty, and no session expires before the end. */
const STEP_MS = 2_000;
const SEED = 20_260_121;
/** A call of a run that waits at that moment is beyond chance; `approved_calls_test.ts` has them. */
const BEYOND_CHANCE = [
  ...["decideCall", "sendCallOutput"],
  ...["answerUnanswered", "askUnansweredAgain"],
  ...["setPublishGate", "deletePublishGate", "setCanary", "endCanary"],
  // Its conversation is mostly deleted again before.
  "getOwnConversation",
  // They need a lock or a key that another operation has created.
  ...["getConfigurationLock", "unlockConfiguration", "deleteResource", "putResource"],
  ...["getWebSource", "updateWebSource", "deleteWebSource", "refreshWebSource"],
  ...["getRehearsal", "deleteRehearsal", "stopRehearsal"],
  ...["getTestSet", "updateTestSet", "deleteTestSet", "listTestCases", "createTestCases"],
  ...["exportTestCases", "createTestCaseFromRun", "getTestCase", "replaceTestCase"],
  ...["deleteTestCase", "listTestRuns", "startTestRun", "getTestRun", "deleteTestRun"],
  ...["stopTestRun", "resumeTestRun", "listTestResults", "exportTestResults", "compareTestRuns"],
];
const NO_LIMITS = {
  ipRequests: 1_000_000,
  ipMessages: 1_000_000,
  ipResumes: 1_000_000,
  keyRequests: 1_000_000,
  streams: 1_000_000,
};

/** Results of the requests sent so far. */
interface Tally {
  issues: string[];
  /** How often each operation returned each status. */
  statuses: Map<string, number>;
}

Deno.test("/v1: 10,000 seeded requests, valid and invalid, get documented responses and no 5xx", async () => {
  const time = instantRuntime();
  await using service = await TestService.start({ ...time, limits: NO_LIMITS });
  const document: OpenApiDocument = await (await service.fetch("/v1/openapi.json")).json();
  const api = new ApiDocument(document);
  const parts = {
    world: await createFixture(service),
    dice: new SeededRandom(SEED),
    schemas: document.components.schemas,
    methods: new Map(
      [...Map.groupBy(api.operations, ({ path }) => path)]
        .map(([path, operations]) => [path, operations.map(({ method }) => method)]),
    ),
  };
  const tally: Tally = { issues: [], statuses: new Map() };
  const often = api.operations.flatMap((one) => Array<Documented>(weightOf(one)).fill(one));
  const send = async (operations: readonly Documented[], at: string) => {
    const calls = Array.from({ length: AT_ONCE }, () => {
      return fuzzCall(parts.dice.pick(operations), parts);
    });
    await sendAll(calls, { service, api, fixture: parts.world, tally });
    time.advance(STEP_MS);
    assertEquals(tally.issues, [], `seed ${SEED}, ${at}`);
  };
  for (let sent = 0; sent < REQUESTS; sent += AT_ONCE) {
    await send(often, `request ${sent} and after`);
  }
  const failed = () =>
    api.operations.filter((one) =>
      !BEYOND_CHANCE.includes(one.operationId) && !hasSucceeded(one, tally)
    );
  // What an operation needs may be rare, so those that have failed so far are tried more often.
  for (let round = 1; failed().length > 0 && round <= MORE_ROUNDS; round++) {
    const rare = failed();
    await send(
      [...often, ...rare.flatMap((one) => Array<Documented>(100).fill(one))],
      `round ${round}`,
    );
  }
  assertEquals(failed().map(({ operationId }) => operationId), [], "these never succeeded");
  assertEquals(service.logged.filter((line) => line.includes('"level":"error"')), []);
});

function hasSucceeded({ operationId, responses }: Documented, { statuses }: Tally): boolean {
  return statuses.has(`${operationId} ${Object.keys(responses)[0]}`);
}

/** Bodies have the most ways to be invalid, and conversations exist the least, so both are drawn more often. */
function weightOf({ requestBody, path, method }: Documented): number {
  // What is deleted cannot be read any more.
  if (method === "DELETE") return 1;
  if (requestBody !== undefined || path.startsWith("/v1/chat/conversations")) return 6;
  return /^\/v1\/(agents|conversations)/.test(path) ? 3 : 1;
}

/** Requests are outside business hours, so that visitors may leave contact details. */
const NOBODY_THERE = {
  ...{ enabled: true, by: ["visitor"], message: "Soon.", form: true },
  businessHours: { timeZone: "UTC", week: [{ day: "sun", from: "03:00", to: "03:01" }] },
};

/** A key, agents with a small output limit, and their sessions. */
async function createFixture(service: TestService): Promise<FuzzContext> {
  const keys = { good: await service.key([...SCOPE_NAMES]), weak: await service.key([]) };
  const agents: string[] = [];
  const sessions = [];
  for (let n = 0; n < 4; n++) {
    const { id } = await service.agent(keys.good, {
      allowedOrigins: [ORIGIN],
      allowedDomains: ["api.example.com"],
      tools: [httpTool()],
      attachments: { images: true, documents: true },
      modelPolicy: { provider: "vendor_a", model: "demo", maxOutputTokens: 4 },
    });
    agents.push(id);
    sessions.push({ agentId: id, token: await service.mint(keys.good, id, ORIGIN) });
  }
  const lasting = await mintLasting(service, keys.good);
  const handedOver = await startHandedOver(service, keys.good);
  const facts = await rememberFacts(service, keys.good);
  const { client, panel, extras, texts, widget } = service.service;
  const hashes = [client, panel, extras, texts, widget].map(({ hash12 }) => hash12);
  const known = { keys, agents, sessions, lasting, hashes, handedOver, facts };
  return new FuzzContext({ ...known, ownOrigin: service.url });
}

/** Sessions with an agent that no request changes. */
async function mintLasting(service: TestService, key: string): Promise<FuzzContext["lasting"]> {
  const { id: agentId } = await service.agent(key, { allowedOrigins: [ORIGIN] });
  const mint = async () => ({ agentId, token: await service.mint(key, agentId, ORIGIN) });
  return await Promise.all(Array.from({ length: 8 }, mint));
}

/** Facts about visitors of an agent that no request changes. */
async function rememberFacts(service: TestService, key: string): Promise<FuzzContext["facts"]> {
  const agent = await service.agent(key, { allowedOrigins: [ORIGIN], memory: { enabled: true } });
  const headers = { origin: ORIGIN };
  return await Promise.all(Array.from({ length: 8 }, async (_, n) => {
    const json = { agentId: agent.id, visitor: { id: `visitor-${n}` } };
    const minted = await service.fetch("/v1/widget/session", {
      ...{ method: "POST", key, headers, json },
    });
    const { sessionToken: token } = await minted.json();
    const body = { messages: [say("Please remember that I like violets.")] };
    const answer = await onPage(service, { agent, sessionToken: token, body });
    await answer.body?.pipeTo(new WritableStream());
    const own = { headers: { ...headers, "x-service-session": token } };
    const { facts: [fact] } = await (await service.fetch("/v1/chat/memory", own)).json();
    return { session: { agentId: agent.id, token }, id: fact.id };
  }));
}

/** Conversations with an agent that no request changes. */
async function startHandedOver(service: TestService, key: string): Promise<string[]> {
  const { id: agentId } = await service.agent(key, { handoff: NOBODY_THERE });
  return await Promise.all(Array.from({ length: 8 }, async () => {
    const conversationId = crypto.randomUUID();
    const chat = { key, body: { agentId, conversationId } };
    await (await byKey(service, chat)).body?.pipeTo(new WritableStream());
    return conversationId;
  }));
}

/** Sends all calls concurrently; learns from the responses in call order, so that a seed is reproducible. */
async function sendAll(
  calls: FuzzCall[],
  { service, api, fixture, tally }: {
    service: TestService;
    api: ApiDocument;
    fixture: FuzzContext;
    tally: Tally;
  },
): Promise<void> {
  const signal = AbortSignal.timeout(HANGS_MS);
  const answers = await Promise.all(
    calls.map(async ({ operation, method, path, headers, body }) => {
      const all = new Headers(headers);
      if (typeof body?.type === "string") all.set("content-type", body.type);
      const sent = body === undefined || method === "GET" ? {} : { body: toBodyInit(body) };
      const response = await service.fetch(path, { method, headers: all, signal, ...sent });
      if (operation.operationId !== "followHandoff" || !response.ok) {
        return await answeredBy(response);
      }
      // A feed stays open while somebody waits, and the test's clock never ends that.
      await response.body?.cancel();
      return { status: response.status, headers: response.headers, text: "" };
    }),
  );
  for (const [n, answered] of answers.entries()) {
    const { operation, agentId, session } = calls[n]!;
    const issues = api.faultsOf(operation, answered);
    if (answered.status >= 500) issues.push(`answers ${answered.status}`);
    if (answered.status < 300) issues.push(...wronglyAccepted(calls[n]!, api));
    if (issues.length > 0) tally.issues.push(describe(calls[n]!, { issues, text: answered.text }));
    const key = `${operation.operationId} ${answered.status}`;
    tally.statuses.set(key, (tally.statuses.get(key) ?? 0) + 1);
    fixture.learn(operation.operationId, answered, { agentId, session });
  }
}

/** A request that succeeded although the document forbids its body. */
function wronglyAccepted({ operation, body }: FuzzCall, api: ApiDocument): string[] {
  if (body === undefined) return [];
  return api.bodyFaultsOf(operation, new TextDecoder().decode(body.bytes))
    .map((issue) => `accepts an undocumented body: ${issue}`);
}

/** Enough of a request to repeat it by hand. */
function describe(call: FuzzCall, { issues, text }: { issues: string[]; text: string }): string {
  const body = call.body === undefined ? "" : new TextDecoder().decode(call.body.bytes);
  return [
    `${call.operation.operationId}: ${issues.join("; ")}`,
    `${call.method} ${call.path.slice(0, 300)} ${JSON.stringify(call.headers).slice(0, 600)}`,
    `body (${call.body?.type}): ${JSON.stringify(body.slice(0, 600))}`,
    `answer: ${text.slice(0, 600)}`,
  ].join("\n");
}
