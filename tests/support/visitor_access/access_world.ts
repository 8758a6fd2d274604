import { assertEquals } from "@std/assert";
import { upload } from "../attachments.ts";
import { httpTool } from "../agent_bodies.ts";
import { ended } from "../conversations.ts";
import { Dashboard, SETUP_TOKEN } from "../dashboard.ts";
import { expectJson } from "../expect_response.ts";
import { HANDOFF } from "../handoffs.ts";
import { makePng } from "../make_image.ts";
import { openTestKv } from "../open_kv.ts";
import { pausableRuntime } from "../pausable_runtime.ts";
import { TestService } from "../service.ts";
import { SseText } from "../sse_text.ts";
import { pageTool, untilPending } from "../waiting_calls.ts";
import { byKey, chat, ORIGIN, say } from "../widget_calls.ts";
import type { Credential, KeyCredential, Resource, SessionCredential } from "./access_rules.ts";
import type { ResourceKind } from "./access_routes.ts";

const OTHER_ORIGIN = "https://blog.example.com";
const MINUTE_MS = 60_000;

export type AccessWorld = Awaited<ReturnType<typeof openAccessWorld>>;

/** A service with everything that visitors can have, and every credential that exists. */
export async function openAccessWorld() {
  const kv = await openTestKv();
  const time = pausableRuntime();
  time.release();
  const service = await TestService.start({
    ...{ kv, keepKv: true, runtime: time.runtime, env: { SETUP_TOKEN } },
  });
  const world = await fill(service, time);
  const dispose = async () => {
    await service[Symbol.asyncDispose]();
    kv.close();
  };
  return { ...world, kv, service, [Symbol.asyncDispose]: dispose };
}

async function fill(service: TestService, time: ReturnType<typeof pausableRuntime>) {
  const key = await service.key([
    ...["agents:write", "widget:mint", "conversations:write"] as const,
  ]);
  const change = {
    ...{ allowedOrigins: [ORIGIN, OTHER_ORIGIN], attachments: { images: true } },
    handoff: HANDOFF,
    memory: { enabled: true },
    tools: [httpTool({ approval: "visitor" }), pageTool()],
    allowedDomains: ["api.example.com"],
  };
  const [agent, other] = [await service.agent(key, change), await service.agent(key, change)];
  const mint = mintsOf(service, { key, agentId: agent.id });
  const expired = { ...await mint("a session of A that has expired", { visitor: "ada" }) };
  const own = actionsOf(service);
  const first = await own.ask(expired, "First");
  const oldFile = await own.upload(expired);
  time.advance(16 * MINUTE_MS);

  const a = await mint("a session of A", { visitor: "ada" });
  const unnamed = await mint("a session without a name");
  const ended: SessionCredential = {
    ...await mint("a revoked session of A", { visitor: "ada" }),
    state: "ended",
  };
  await service.fetch("/v1/widget/session", {
    ...{ method: "DELETE", key, json: { sessionToken: ended.token } },
  });
  const sessions: SessionCredential[] = [
    ...[a, unnamed, ended, { ...expired, state: "expired" as const }],
    await mint("another session of A", { visitor: "ada" }),
    await mint("a session of B", { visitor: "bob" }),
    await mint("a session of A with another agent", { visitor: "ada", agentId: other.id }),
    await mint("a session of A on another page", { visitor: "ada", page: OTHER_ORIGIN }),
    await mint("another session without a name"),
    await shareSession(service, agent),
    { ...await shareSession(service, other), name: "a session of a closed link", state: "ended" },
    await playgroundSession(service, { key, agentId: agent.id }),
    await playgroundSession(service, { key, agentId: agent.id, page: service.url }),
  ];
  const share = { tenant: await service.tenant(), agentId: other.id };
  await service.service.shares.delete(share, other.name);

  const conversation = await own.ask(a, "Where is my xylophone?");
  await own.rate(a, conversation.runId);
  await own.handOff(a, conversation.id);
  const running = await own.begin(a, time);
  const decision = await own.wait(a, "lookup");
  const output = await own.wait(unnamed, "cart");
  const ofUnnamed = await own.ask(unnamed, "Without a name");
  await own.handOff(unnamed, ofUnnamed.id);
  const ofBackend = await askByKey(service, { key, agentId: agent.id });
  await own.ask(a, "Please remember that I own a xylophone.");
  const files = [await own.upload(a), await own.upload(unnamed)];
  const gone = await service.fetch("/v1/visitors/gone", { method: "DELETE", key });
  const erasure = await expectJson(gone, 202);

  const resources: Record<ResourceKind, Resource[]> = {
    conversation: [
      { name: "a conversation of A", id: conversation.id, owner: a },
      { name: "a conversation of A that is answered first", id: running.conversationId, owner: a },
      { name: "a conversation without a name", id: ofUnnamed.id, owner: unnamed },
      { name: "a conversation of a backend", id: ofBackend.id },
    ],
    run: [
      { name: "a run of A", id: conversation.runId, owner: a },
      { name: "a run of A whose log is gone", id: first.runId, owner: expired },
      { name: "a run of A in progress", id: running.runId, owner: a },
      { name: "a run without a name", id: ofUnnamed.runId, owner: unnamed },
      { name: "a run of a backend", id: ofBackend.runId },
    ],
    decision: [{ name: "a call of A", id: decision.id, owner: a }],
    output: [{ name: "a call of a session without a name", id: output.id, owner: unnamed }],
    attachment: [
      { name: "a file of A", id: files[0]!, owner: a },
      { name: "a file of A from an expired session", id: oldFile, owner: expired },
      { name: "a file without a name", id: files[1]!, owner: unnamed },
    ],
    fact: [{ name: "a fact about A", id: await own.fact(a), owner: a }],
    visitor: [{ name: "A", id: "ada", owner: a }],
    erasure: [{ name: "an erasure", id: erasure.id }],
    unanswered: [{ name: "an unanswered question of A", id: conversation.runId, owner: a }],
    session: [{ name: "the token of A", id: a.token, owner: a }],
  };
  const credentials: Credential[] = [...await keysAndNone(service), ...sessions];
  return {
    key,
    agent,
    a,
    unnamed,
    credentials,
    resources,
    streams: [running, decision, output].map(({ stream }) => stream),
  };
}

function mintsOf(service: TestService, { key, agentId }: { key: string; agentId: string }) {
  return async (
    name: string,
    of: { visitor?: string; agentId?: string; page?: string } = {},
  ): Promise<SessionCredential> => {
    const { visitor, page = ORIGIN } = of;
    const json = { agentId: of.agentId ?? agentId, ...visitor && { visitor: { id: visitor } } };
    const minted = await service.fetch("/v1/widget/session", {
      ...{ method: "POST", key, json, headers: { origin: page } },
    });
    const { sessionToken } = await expectJson(minted, 201);
    return toCredential(name, { token: sessionToken, visitor, agentId: json.agentId, page });
  };
}

function toCredential(
  name: string,
  { token, visitor, agentId, page }: {
    token: string;
    visitor?: string | undefined;
    agentId: string;
    page?: string | undefined;
  },
): SessionCredential {
  return {
    ...{ kind: "session", name, token, agentId, state: "live" },
    headers: { "x-service-session": token, ...page !== undefined && { origin: page } },
    ...visitor !== undefined && { visitor },
    ...page !== undefined && { page },
  };
}

async function shareSession(
  service: TestService,
  agent: { id: string; name: string },
): Promise<SessionCredential> {
  const share = { tenant: await service.tenant(), agentId: agent.id };
  const id = await service.service.shares.create(share, agent.name);
  const headers = { origin: service.url };
  const minted = await service.fetch(`/chat/${id}/session`, { method: "POST", headers });
  const { sessionToken: token } = await expectJson(minted, 201);
  return toCredential("a session of a shared page", {
    ...{ token, agentId: agent.id, page: service.url },
  });
}

async function playgroundSession(
  service: TestService,
  { key, agentId, page }: { key: string; agentId: string; page?: string },
): Promise<SessionCredential> {
  const path = `/v1/agents/${agentId}/playground-session`;
  const headers = page === undefined ? {} : { origin: page };
  const minted = await service.fetch(path, { method: "POST", key, headers, json: {} });
  const { sessionToken: token } = await expectJson(minted, 201);
  const name = `a playground session ${page === undefined ? "without a page" : "with a page"}`;
  return toCredential(name, { token, agentId, page });
}

async function keysAndNone(service: TestService): Promise<Credential[]> {
  const { id: elsewhere } = await service.service.tenants.create("Elsewhere");
  const bearer = async (...of: Parameters<TestService["key"]>) => ({
    authorization: `Bearer ${await service.key(...of)}`,
  });
  const all = ["agents:write", "widget:mint", "conversations:write", "billing:read"] as const;
  const keys: KeyCredential[] = [
    { kind: "key", name: "a key that may chat", may: "chat", headers: await bearer() },
    { kind: "key", name: "a key that may read", may: "read", headers: await bearer() },
    { kind: "key", name: "a key of another tenant", may: "everything elsewhere", headers: {} },
  ];
  keys[0]!.headers = await bearer(["agents:write"]);
  keys[1]!.headers = await bearer(["conversations:read"]);
  keys[2]!.headers = await bearer([...all], elsewhere);
  const owner = await Dashboard.setUp(service);
  return [
    ...keys,
    { kind: "none", name: "no credential", headers: {} },
    { kind: "none", name: "the dashboard's cookie", headers: { cookie: owner.cookie } },
  ];
}

async function askByKey(service: TestService, { key, agentId }: { key: string; agentId: string }) {
  return await ended(await byKey(service, { key, body: { agentId, messages: [say("Backend")] } }));
}

/** What a session does on its page. */
function actionsOf(service: TestService) {
  const send = ({ token, agentId, headers }: SessionCredential, text: string) =>
    chat(service, { id: agentId }, {
      ...{ sessionToken: token, headers, body: { messages: [say(text)] } },
    });
  return {
    ask: async (by: SessionCredential, text: string) => await ended(await send(by, text)),
    upload: async ({ token }: SessionCredential) =>
      (await upload(service, { sessionToken: token }, { bytes: makePng() })).id,
    async fact({ headers }: SessionCredential): Promise<string> {
      const read = await service.fetch("/v1/chat/memory", { headers });
      return (await expectJson(read, 200)).facts[0].id;
    },
    async rate({ headers }: SessionCredential, runId: string) {
      const path = `/v1/chat/runs/${runId}/feedback`;
      const json = { rating: "down", comment: "Too short" };
      assertEquals((await service.fetch(path, { method: "PUT", headers, json })).status, 204);
    },
    async handOff({ headers }: SessionCredential, id: string) {
      const path = `/v1/chat/conversations/${id}/handoff`;
      const asked = await service.fetch(path, { method: "POST", headers });
      assertEquals((await expectJson(asked, 200)).state, "waiting");
    },
    /** A run that pauses after its first word, while others go on. */
    /** Asks for a call of a tool, which waits. */
    async wait(by: SessionCredential, tool: string) {
      const { sse: stream, runId, n } = await untilPending(await send(by, `use ${tool} with {}`));
      return { id: `${runId}/calls/${n}`, stream };
    },
    async begin(by: SessionCredential, time: ReturnType<typeof pausableRuntime>) {
      time.hold();
      const stream = new SseText(await send(by, "A long story"));
      await stream.until("event: delta");
      time.hold();
      time.release();
      const { runId, conversationId } = stream.frame("start");
      return { runId, conversationId, stream };
    },
  };
}
