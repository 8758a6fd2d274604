/** Rehearsals: recorded runs are replayed on another version, and nothing but models is asked. */
import { setImmediate } from "node:timers";
import { assert, assertEquals } from "@std/assert";
import type { Agent } from "@/lib/schemas/agent.ts";
import type { Rehearsal, RehearsalReport } from "@/lib/schemas/rehearsal.ts";
import { systemRuntime } from "@/lib/platform/runtime.ts";
import { ConversationStore } from "@/lib/store/conversations/conversation_store.ts";
import { keys } from "@/lib/store/keys/keys.ts";
import { overrideKv, overrideList } from "@/lib/store/kv/override_kv.ts";
import { contentCipher } from "./support/content.ts";
import { asks, BUDGET, startProviders, text } from "./support/asked_agents.ts";
import { expectError, expectInvalid, expectJson } from "./support/expect_response.ts";
import { readFrames } from "./support/frames.ts";
import { mcpEndpoint } from "./support/mcp_server.ts";
import { MockProviders, type MockRequest } from "./support/mock_providers/mock_providers.ts";
import type { Script } from "./support/mock_providers/script.ts";
import type { ProviderService } from "./support/provider_service.ts";
import { refundAt, toolServer } from "./support/waiting_calls.ts";
import { onPage, ORIGIN, say } from "./support/widget_calls.ts";

const USAGE = { input: 400, output: 100 };
/** Of a step with that usage. */
const STEP = 400 * 3 + 100 * 15;

/** Refunds the order that the question names, unless it was refunded, and says what the prompt says. */
function refund({ body }: MockRequest) {
  const [system, ...messages] = body.messages as { role: string; content: string }[];
  const last = messages.at(-1)!;
  if (last.role === "tool") return text(`${system!.content}: ${String(last.content)}`);
  const order = /order ([\w-]+)/.exec(JSON.stringify(last.content))?.[1];
  if (order === undefined) return text(`${system!.content}: nothing to do`);
  const id = String(system!.content).includes("wrong") ? `${order}9` : order;
  return {
    say: [{ calls: [{ id: "c1", name: "refund", args: [JSON.stringify({ q: id })] }] }],
    usage: USAGE,
  };
}

async function open(
  options: {
    env?: Record<string, string>;
    limits?: object;
    answer?: (request: MockRequest) => Script;
  } = {},
) {
  const mock = await MockProviders.start({ otherwise: options.answer ?? refund });
  const tool = toolServer((_request, n) => Response.json({ refunded: n }));
  const limits = { ipRequests: 1e6, ipMessages: 1e6, keyRequests: 1e6, hardDailyCost: 50_000_000 };
  const on = await startProviders(mock, {
    limits: { ...limits, ...options.limits },
    env: { EGRESS_ALLOW: tool.host, ...options.env },
  });
  const agent = await on.agent("vendor_a", {
    ...{ tools: [refundAt(tool.host, {})], allowedDomains: [tool.host], budget: BUDGET },
    systemPrompt: "First",
  });
  const key = await on.service.key(["agents:write", "conversations:read", "billing:read"]);
  const path = `/v1/agents/${agent.id}/rehearsals`;
  const post = (json: unknown, to = path) => on.service.fetch(to, { method: "POST", key, json });
  const get = async (id: string, query = ""): Promise<RehearsalReport> =>
    await expectJson(await on.service.fetch(`${path}/${id}${query}`, { key }), 200);
  /** Starts one and waits until it has ended. */
  const rehearse = async (json: Record<string, unknown>): Promise<RehearsalReport> => {
    const { id }: Rehearsal = await expectJson(await post({ budgetUsd: 10, ...json }), 202);
    return await ended(get, id);
  };
  const ask = async (content: string, of: Agent = agent, more: Record<string, unknown> = {}) =>
    await readFrames(await on.send(of, { messages: [say(content)], ...more }));
  const change = async (json: unknown): Promise<Agent> =>
    await expectJson(
      await on.service.fetch(`/v1/agents/${agent.id}`, {
        ...{ method: "PATCH", key, json, headers: { "if-match": "*" } },
      }),
      200,
    );
  return {
    ...{ mock, tool, on, agent, key, path, post, get, rehearse, ask, change },
    async [Symbol.asyncDispose]() {
      await on[Symbol.asyncDispose]();
      await tool[Symbol.asyncDispose]();
      await mock[Symbol.asyncDispose]();
    },
  };
}

async function ended(get: (id: string) => Promise<RehearsalReport>, id: string) {
  for (;;) {
    const report = await get(id);
    if (report.state !== "running") return report;
    await new Promise((wake) => setImmediate(wake));
  }
}

async function spentToday({ service }: ProviderService, key: string): Promise<number> {
  const { costUsd } = await expectJson(await service.fetch("/v1/usage", { key }), 200);
  return Math.round(costUsd * 1e6);
}

Deno.test("a rehearsal of 100 runs with tools calls nothing but the model, and costs what is settled", async () => {
  await using fixture = await open();
  const { mock, tool, on, key, ask, change, rehearse } = fixture;
  for (let n = 0; n < 100; n++) await ask(`Refund order A-${n}`);
  assertEquals(tool.requests.length, 100);
  const before = await spentToday(on, key);
  const requests = mock.requests.length;
  await change({ systemPrompt: "Second" });
  const report = await rehearse({ runs: 100, only: "with_tools" });
  assertEquals(tool.requests.length, 100);
  assertEquals(mock.requests.length - requests, 200);
  const { state, version, runs, done, changed, differingCalls, failed } = report;
  assertEquals(
    { state, version, runs, done, changed, differingCalls, failed },
    { state: "done", version: 2, runs: 100, done: 100, changed: 100, differingCalls: 0, failed: 0 },
  );
  assertEquals(report.before.costUsd, 200 * STEP / 1e6);
  assertEquals(report.after.costUsd, 200 * STEP / 1e6);
  assertEquals(await spentToday(on, key) - before, 200 * STEP);
  const [result] = report.results;
  assertEquals([result!.before.text.slice(0, 6), result!.after.text.slice(0, 7)], [
    "First:",
    "Second:",
  ]);
  assertEquals(result!.after.calls, result!.before.calls);
  assertEquals(result!.agentVersion, 1);
});

Deno.test("a rehearsal marks calls that the recorded run did not make, and makes none", async () => {
  await using fixture = await open();
  const { tool, ask, change, rehearse } = fixture;
  await ask("Refund order A-1");
  await ask("Good morning");
  await change({ systemPrompt: "The wrong order" });
  const report = await rehearse({});
  assertEquals([report.done, report.differingCalls, tool.requests.length], [2, 1, 1]);
  const differing = report.results.flatMap(({ after }) => after.calls);
  assertEquals(differing.map(({ name, args, differs }) => [name, args, differs]), [
    ["refund", { q: "A-19" }, true],
  ]);
});

Deno.test("a rehearsal has the turns before a question, and none of replaced answers", async () => {
  await using fixture = await open();
  const { mock, ask, rehearse } = fixture;
  const first = await ask("Good morning");
  const start = first[0]!.frame;
  assert(start.type === "start");
  const { conversationId } = start;
  await ask("Refund order A-1", fixture.agent, { conversationId });
  mock.requests.splice(0);
  const report = await rehearse({ runs: 1 });
  assertEquals(report.results.map(({ question }) => question), ["Refund order A-1"]);
  const [{ body }] = mock.requests as [MockRequest];
  const contents = (body.messages as { role: string; content: string }[]).map(({ content }) =>
    content
  );
  assertEquals(contents, ["First", "Good morning", "First: nothing to do", "Refund order A-1"]);
});

Deno.test("a rehearsal of answers that take many bytes as JSON stores all of them, shortened", async () => {
  const answer = () => text("\u0001漢".repeat(8_000));
  await using fixture = await open({ answer });
  const { on, key, ask, rehearse } = fixture;
  for (let n = 0; n < 6; n++) await ask(`Question ${n}`);
  const before = await spentToday(on, key);
  const report = await rehearse({});
  assertEquals([report.state, report.done, report.results.length], ["done", 6, 6]);
  assertEquals(report.results[0]!.after.text.length, 4_000);
  assertEquals(await spentToday(on, key) - before, 6 * STEP);
});

Deno.test("a rehearsal ends when its budget is used up, and costs no more", async () => {
  await using fixture = await open();
  const { on, key, ask, change, rehearse } = fixture;
  for (let n = 0; n < 8; n++) await ask(`Refund order A-${n}`);
  await change({ budget: { maxCostUsd: 0.02 } });
  const before = await spentToday(on, key);
  const report = await rehearse({ budgetUsd: 0.03 });
  assertEquals(report.state, "out_of_budget");
  assert(report.done > 0 && report.done < 8, `${report.done}`);
  const cost = await spentToday(on, key) - before;
  assertEquals([report.after.costUsd, cost <= 30_000], [cost / 1e6, true]);
});

Deno.test("a rehearsal that the tenant's day cannot pay does not begin", async () => {
  await using fixture = await open({ limits: { hardDailyCost: 1_000_000 } });
  const { ask, post, on, key, path } = fixture;
  await ask("Good morning");
  const answer = await post({ budgetUsd: 5 });
  assert(Number(answer.headers.get("retry-after")) > 0);
  await expectError(answer, "plan_limit_exceeded");
  const { data } = await expectJson(await on.service.fetch(path, { key }), 200);
  assertEquals(data, []);
});

Deno.test("rehearsals: what is asked for is checked, and the scopes are", async () => {
  await using fixture = await open();
  const { on, post, path } = fixture;
  await expectInvalid(await post({}), ["budgetUsd"]);
  await expectInvalid(await post({ budgetUsd: 0 }), ["budgetUsd"]);
  await expectInvalid(await post({ budgetUsd: 1, runs: 101, only: "x" }), ["only", "runs"]);
  await expectError(await post({ budgetUsd: 1, version: 9 }), "not_found");
  const unknown = `/v1/agents/${crypto.randomUUID()}/rehearsals`;
  await expectError(await post({ budgetUsd: 1 }, unknown), "not_found");
  const agents = await on.service.key(["agents:write"]);
  await expectError(await on.service.fetch(path, { key: agents }), "insufficient_scope");
  const reader = await on.service.key(["conversations:read"]);
  await expectJson(await on.service.fetch(path, { key: reader }), 200);
  const json = { budgetUsd: 1 };
  const begun = await on.service.fetch(path, { method: "POST", key: reader, json });
  await expectError(begun, "insufficient_scope");
});

Deno.test("a deleted conversation takes its replays with it, and a deleted rehearsal everything", async () => {
  await using fixture = await open();
  const { on, ask, rehearse, get, path, key } = fixture;
  const [first] = await ask("Good morning");
  await ask("Good evening");
  const report = await rehearse({});
  assertEquals(report.results.length, 2);
  assert(first!.frame.type === "start");
  const writer = await on.service.key(["conversations:write"]);
  const conversation = `/v1/conversations/${first!.frame.conversationId}`;
  const deleted = await on.service.fetch(conversation, { method: "DELETE", key: writer });
  assertEquals(deleted.status, 204);
  const later = await get(report.id);
  assertEquals(later.results.map(({ question }) => question), ["Good evening"]);
  const end = await on.service.fetch(`${path}/${report.id}`, { method: "DELETE", key });
  assertEquals(end.status, 204);
  for (const prefix of ["rehearsals", "rehearsal_runs", "trial_jobs"]) {
    assertEquals(await Array.fromAsync(on.kv.list({ prefix: [prefix] })), []);
  }
  const left = await Array.fromAsync(on.kv.list({ prefix: ["rehearsed_runs"] }));
  assertEquals(left, []);
});

Deno.test("a conversation that is deleted while one of its runs is replayed leaves no replay", async () => {
  await using fixture = await open();
  const { on, ask, rehearse } = fixture;
  const [first] = await ask("Good morning");
  assert(first!.frame.type === "start");
  const { conversationId: id, runId } = first!.frame;
  const report = await rehearse({});
  const replays = () => Array.fromAsync(on.kv.list<unknown>({ prefix: ["rehearsed_runs"] }));
  const [replay] = await replays();
  const run = keys.run(await on.service.tenant(), runId);
  // A replay is stored after the deletion has looked for replays, if there still is a run.
  const late = overrideKv(on.kv, {
    list(selector: Deno.KvListSelector, options?: Deno.KvListOptions) {
      const isOfReplays = "prefix" in selector && selector.prefix[0] === "rehearsed_runs";
      return overrideList(on.kv.list(selector, options), async (next) => {
        const row = await next();
        const entry = await on.kv.get(run);
        if (isOfReplays && row.done && entry.versionstamp !== null) {
          await on.kv.atomic().check(entry).set([...replay!.key.slice(0, -1), "late"], {}).commit();
        }
        return row;
      });
    },
  });
  const { content, runtime } = { content: contentCipher(), runtime: systemRuntime };
  const { tenant, agentId, page } = await storedName(on, id);
  await new ConversationStore(late, { content, runtime }).delete({ tenant, id, agentId, page });
  assertEquals([await replays(), report.results.length], [[], 1]);
});

async function storedName({ kv }: ProviderService, id: string) {
  for await (const { key } of kv.list({ prefix: ["conversations"] })) {
    const [, tenant, found, agentId, page] = key as string[];
    if (found === id) return { tenant: tenant!, agentId: agentId!, page: page! };
  }
  throw new Error("no such conversation");
}

Deno.test("a rehearsal executes no tool of any kind: servers, agents, pages, hand-offs and memory", async () => {
  const calls = [
    { id: "c1", name: "search_orders", args: ["{}"] },
    { id: "c2", name: "ask_expert", args: ['{"message":"Where is it?"}'] },
    { id: "c3", name: "hand_off", args: ['{"reason":"Asked for it"}'] },
    { id: "c4", name: "remember", args: ['{"fact":"Likes tea."}'] },
  ];
  const script = ({ body }: MockRequest) => {
    const isExpert = JSON.stringify(body).includes("You are the expert");
    if (isExpert || JSON.stringify(body).includes("tool_call_id")) return text("Done.");
    return { say: [{ calls }], usage: USAGE };
  };
  await using mock = await MockProviders.start({ otherwise: script });
  const seen: string[] = [];
  const answer = mcpEndpoint({
    tools: (server) => {
      server.registerTool(
        "search_orders",
        {},
        () => ({ content: [{ type: "text", text: "A-1" }] }),
      );
    },
    json: true,
  });
  await using server = toolServer((request) => {
    seen.push(request.body);
    return answer({ ...request, url: request.url });
  });
  await using on = await startProviders(mock, { env: { EGRESS_ALLOW: server.host } });
  const expert = await on.agent("vendor_a", { systemPrompt: "You are the expert", budget: BUDGET });
  const agent = await on.agent("vendor_a", {
    ...{ budget: BUDGET, allowedOrigins: [ORIGIN], allowedDomains: [server.host] },
    tools: [
      { type: "mcp", name: "orders", url: `http://${server.host}/mcp` },
      asks(expert.id),
    ],
    handoff: { enabled: true, by: ["model"], message: "Somebody comes." },
    memory: { enabled: true },
  });
  const key = await on.service.key(["widget:mint"]);
  const minted = await on.service.fetch("/v1/widget/session", {
    ...{ method: "POST", key, headers: { origin: ORIGIN } },
    json: { agentId: agent.id, visitor: { id: "ada" } },
  });
  const { sessionToken } = await expectJson(minted, 201);
  const frames = await readFrames(await onPage(on.service, { agent, sessionToken }));
  const names = frames.flatMap(({ frame }) => frame.type === "tool_call" ? [frame.name] : []);
  assertEquals(names.sort(), ["ask_expert", "hand_off", "remember", "search_orders"]);
  const [asked, handoffs] = [seen.length, await keysUnder(on, "handoffs")];
  const models = mock.requests.length;
  const memories = await keysUnder(on, "visitor_memories");

  const reader = await on.service.key(["agents:write", "conversations:read"]);
  const path = `/v1/agents/${agent.id}/rehearsals`;
  const begun: Rehearsal = await expectJson(
    await on.service.fetch(path, { method: "POST", key: reader, json: { budgetUsd: 1 } }),
    202,
  );
  const read = async (id: string): Promise<RehearsalReport> =>
    await expectJson(await on.service.fetch(`${path}/${id}`, { key: reader }), 200);
  const report = await ended(read, begun.id);
  assertEquals([report.done, report.differingCalls, report.failed], [1, 0, 0]);
  assertEquals(report.results[0]!.after.calls, report.results[0]!.before.calls);
  assertEquals(report.results[0]!.after.calls.length, 4);
  assertEquals([seen.length, await keysUnder(on, "handoffs")], [asked, handoffs]);
  assertEquals(await keysUnder(on, "visitor_memories"), memories);
  // The expert is not asked again.
  assertEquals(mock.requests.length - models, 2);
});

async function keysUnder(on: ProviderService, name: string): Promise<number> {
  return (await Array.fromAsync(on.kv.list({ prefix: [name] }))).length;
}
