/** GET /v1/usage: CONTRACT section 4. */
import { assert, assertEquals } from "@std/assert";
import type { UsageReport } from "@/lib/schemas/usage.ts";
import { expectInvalid } from "./support/expect_response.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { readFrames } from "./support/frames.ts";
import { TestService } from "./support/service.ts";

const SHOP = "https://shop.example";
const NOON = Date.UTC(2026, 0, 15, 12);
const MIB = 1_048_576;
const DAY_MS = 86_400_000;

async function start() {
  const { runtime, advance } = instantRuntime(NOON);
  const service = await TestService.start({ runtime });
  const key = await service.key(["agents:write", "widget:mint", "billing:read"]);
  const read = async (query = ""): Promise<UsageReport> =>
    await (await service.fetch(`/v1/usage${query}`, { key })).json();
  return { service, key, advance, read };
}

/** Chats once and returns the `usage` frame. */
async function chat(service: TestService, key: string, agentId: string, token?: string) {
  const messages = [{ role: "user", content: "Hello there" }];
  const headers: Record<string, string> = token === undefined
    ? {}
    : { "x-service-session": token, origin: SHOP };
  const response = await service.fetch("/v1/chat/stream", {
    method: "POST",
    headers,
    ...(token === undefined ? { key } : {}),
    json: { agentId, messages, ...(token === undefined ? {} : { sessionToken: token }) },
  });
  const frames = await readFrames(response);
  const usage = frames.map(({ frame }) => frame).find((frame) => frame.type === "usage");
  return usage!;
}

Deno.test("GET /v1/usage: without usage all values are zero, with the limits and the next midnight", async () => {
  const { service, read } = await start();
  await using _ = service;
  const { storage, ...used } = await read();
  assertEquals(used, {
    day: "2026-01-15",
    resetsAt: "2026-01-16T00:00:00.000Z",
    costUsd: 0,
    runs: 0,
    messages: 0,
    inputTokens: 0,
    outputTokens: 0,
    softLimitUsd: 2,
    hardLimitUsd: 5,
    activeStreams: 0,
    maxStreams: 10,
    days: [],
    byAgent: [],
    byModel: [],
    byProtocol: [],
  });
  // The demo agent exists from the start.
  const { agentBytes, ...others } = storage;
  assert(agentBytes.used > 0 && agentBytes.limit === 64 * MIB);
  assertEquals(others, {
    agents: { used: 1, limit: 1_000 },
    knowledgeBases: { used: 0, limit: 100 },
    knowledgeBytes: { used: 0, limit: 1_024 * MIB },
    conversationRuns: { used: 0, limit: 1_000_000 },
    conversationBytes: { used: 0, limit: 1_024 * MIB },
    attachmentBytes: { used: 0, limit: 1_024 * MIB },
    users: { used: 0, limit: 1_000 },
    apiKeys: { used: 1, limit: 1_000 },
    toolSecrets: { used: 0, limit: 1_000 },
    testSets: { used: 0, limit: 50 },
  });
});

Deno.test("GET /v1/usage: sums by day, agent and model agree with the usage frames", async () => {
  const { service, key, advance, read } = await start();
  await using _ = service;
  const [shop, other] = [
    await service.agent(key, { allowedOrigins: [SHOP] }),
    await service.agent(key),
  ];
  const token = await service.mint(key, shop.id, SHOP);
  const first = [
    await chat(service, key, shop.id, token),
    await chat(service, key, shop.id),
    await chat(service, key, other.id),
  ];
  await advance(DAY_MS);
  const second = await chat(service, key, other.id);
  const sum = (all: typeof first) => ({
    costUsd: 0,
    runs: all.length,
    messages: all.length,
    inputTokens: all.reduce((total, one) => total + one.inputTokens, 0),
    outputTokens: all.reduce((total, one) => total + one.outputTokens, 0),
  });
  const report = await read();
  const { costUsd, runs, messages, inputTokens, outputTokens } = report;
  assertEquals({ costUsd, runs, messages, inputTokens, outputTokens }, sum([second]));
  assertEquals(report.days, [
    { day: "2026-01-15", ...sum(first) },
    { day: "2026-01-16", ...sum([second]) },
  ]);
  const byAgent = new Map(report.byAgent.map(({ agentId, ...used }) => [agentId, used]));
  assertEquals(byAgent.get(shop.id), sum(first.slice(0, 2)));
  assertEquals(byAgent.get(other.id), sum([first[2]!, second]));
  const everything = sum([...first, second]);
  assertEquals(report.byModel, [{ provider: "vendor_a", model: "demo", ...everything }]);
  assertEquals((await read("?to=2026-01-15")).days.length, 1);
  assertEquals((await read("?from=2026-01-16&to=2026-01-16")).byAgent.length, 1);
});

Deno.test("GET /v1/usage: another tenant's usage is not in it", async () => {
  const { service, key } = await start();
  await using _ = service;
  const agent = await service.agent(key);
  await chat(service, key, agent.id);
  const theirs = await service.key(["billing:read"], crypto.randomUUID());
  const report = await (await service.fetch("/v1/usage", { key: theirs })).json();
  assertEquals([report.runs, report.days], [0, []]);
});

Deno.test("GET /v1/usage: counts the active streams", async () => {
  const sleep = (_ms: number, signal?: AbortSignal) =>
    new Promise<void>((_, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
  await using service = await TestService.start({ runtime: { sleep } });
  const key = await service.key(["agents:write", "billing:read"]);
  const agent = await service.agent(key);
  const json = { agentId: agent.id, messages: [{ role: "user", content: "Hello" }] };
  const stream = await service.fetch("/v1/chat/stream", { method: "POST", key, json });
  const report = await (await service.fetch("/v1/usage", { key })).json();
  assertEquals(report.activeStreams, 1);
  await stream.body?.cancel();
});

Deno.test("GET /v1/usage: invalid or reversed dates are 400", async () => {
  const { service, key } = await start();
  await using _ = service;
  await expectInvalid(await service.fetch("/v1/usage?from=yesterday", { key }), ["from"]);
  for (const to of ["0000-01-01", "9999-12-31"]) {
    await expectInvalid(await service.fetch(`/v1/usage?to=${to}`, { key }), ["to"]);
  }
  const backwards = "/v1/usage?from=2026-01-02&to=2026-01-01";
  await expectInvalid(await service.fetch(backwards, { key }), ["from"]);
});
