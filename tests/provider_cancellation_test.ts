/** Cancelling a run aborts the request to its provider, over real sockets: CONTRACT section 6. */
import { assert, assertEquals } from "@std/assert";
import { PROVIDER_IDS } from "@/lib/schemas/provider_id.ts";
import { expectError } from "./support/expect_response.ts";
import { ManualClock } from "./support/manual_clock.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import { SseText } from "./support/sse_text.ts";
import { ProviderService } from "./support/provider_service.ts";
import { onPage, ORIGIN } from "./support/widget_calls.ts";

/** A provider that sends one delta and then stalls. */
const STALLED = { say: [{ text: "Half" }, { wait: new Promise(() => {}) }], end: "none" } as const;
/** The estimated cost of the prompt: the provider received all of it before the connection closed. */
const PROMPT_COST = 144;
const LONG_BUDGET = { maxCostUsd: 1, maxSteps: 4, wallClockMs: 120_000 };

/** A service whose providers never finish, with a manual clock. */
async function start(mock: MockProviders, env: Record<string, string> = {}) {
  const clock = new ManualClock();
  return { clock, on: await ProviderService.start(mock, { runtime: clock.runtime, env }) };
}

/** A cancelled run reports, records and charges the same usage, including the text sent so far. */
async function expectStopped(on: ProviderService, stream: SseText, finishReason: string) {
  await stream.until("event: done");
  const { inputTokens, outputTokens, costUsd } = stream.frame("usage");
  assert(inputTokens > 0 && outputTokens > 0 && costUsd > 0);
  assertEquals(stream.frame("done").finishReason, finishReason);
  await expectRecorded(on, { finishReason, cost: Math.round(costUsd * 1e6) });
}

async function expectRecorded(
  on: ProviderService,
  expected: { finishReason: string; cost: number },
) {
  const records = await on.records();
  assertEquals(records.map(({ finishReason, cost }) => ({ finishReason, cost })), [expected]);
  const report = await (await on.service.fetch("/v1/usage", { key: on.key })).json();
  assertEquals([report.costUsd, report.activeStreams], [expected.cost / 1e6, 0]);
}

for (const provider of PROVIDER_IDS) {
  Deno.test(`revoking a session closes its run's connection to ${provider}`, async () => {
    await using mock = await MockProviders.start({ otherwise: () => STALLED });
    const { on } = await start(mock);
    await using _ = on;
    const agent = await on.agent(provider, { allowedOrigins: [ORIGIN], budget: LONG_BUDGET });
    const sessionToken = await on.service.mint(on.key, agent.id, ORIGIN);
    await using stream = new SseText(await onPage(on.service, { agent, sessionToken }));
    await stream.until("event: delta");
    const json = { sessionToken };
    await on.service.fetch("/v1/widget/session", { method: "DELETE", key: on.key, json });
    await mock.requests[0]!.gone;
    await expectStopped(on, stream, "cancelled");
  });

  Deno.test(`revoking a key closes its run's connection to ${provider}`, async () => {
    await using mock = await MockProviders.start({ otherwise: () => STALLED });
    const { on } = await start(mock);
    await using _ = on;
    const agent = await on.agent(provider, { budget: LONG_BUDGET });
    await using stream = new SseText(await on.send(agent));
    await stream.until("event: delta");
    const tenant = await on.service.tenant();
    const { apiKeys } = on.service.service;
    const [apiKey] = await apiKeys.list(tenant);
    const other = await on.service.key(["billing:read"]);
    await apiKeys.revoke(tenant, apiKey!.id);
    await mock.requests[0]!.gone;
    await stream.until("event: done");
    assertEquals(stream.frame("done").finishReason, "cancelled");
    const report = await (await on.service.fetch("/v1/usage", { key: other })).json();
    assertEquals(report.costUsd, stream.frame("usage").costUsd);
  });

  Deno.test(`a run on ${provider} without followers is cancelled after UNWATCHED_RUN_MS`, async () => {
    await using mock = await MockProviders.start({ otherwise: () => STALLED });
    const { on, clock } = await start(mock, { UNWATCHED_RUN_MS: "7000" });
    await using _ = on;
    const agent = await on.agent(provider, { budget: LONG_BUDGET });
    const stream = new SseText(await on.send(agent));
    await stream.until("event: delta");
    const [run] = on.service.service.chat.active;
    await stream[Symbol.asyncDispose]();
    await clock.asleepUntil(7_000);
    await clock.advance(6_999);
    assertEquals(run!.signal.aborted, false);
    const stopped = new Promise((resolve) => run!.signal.addEventListener("abort", resolve));
    await clock.advance(1);
    // The store is asked first whether the run has a follower in another process.
    await stopped;
    await mock.requests[0]!.gone;
    while (!run!.log.closed) await run!.log.nextAppend();
    const [record] = await on.records();
    await expectRecorded(on, { finishReason: "cancelled", cost: record!.cost });
    assert(record!.cost > 0);
  });

  Deno.test(`a run on ${provider} ends at exactly wallClockMs, and its connection closes`, async () => {
    await using mock = await MockProviders.start({ otherwise: () => STALLED });
    const { on, clock } = await start(mock);
    await using _ = on;
    const agent = await on.agent(provider, { budget: { ...LONG_BUDGET, wallClockMs: 8_500 } });
    await using stream = new SseText(await on.send(agent));
    await stream.until("event: delta");
    const [run] = on.service.service.chat.active;
    await clock.advance(8_499);
    assertEquals(run!.signal.aborted, false);
    const stopped = new Promise((resolve) => run!.signal.addEventListener("abort", resolve));
    await clock.advance(1);
    // The store is asked first whether the run has a follower in another process.
    await stopped;
    await mock.requests[0]!.gone;
    await expectStopped(on, stream, "timeout");
    assertEquals(stream.frame("error").code, "budget_exceeded");
    const [record] = await on.records();
    assertEquals(record!.endedAt - record!.startedAt, 8_500);
  });
}

Deno.test("a client that disconnects and returns within UNWATCHED_RUN_MS does not cancel its run", async () => {
  const resume = Promise.withResolvers<void>();
  await using mock = await MockProviders.start();
  mock.next({ say: [{ text: "Half" }, { wait: resume.promise }, { text: " and whole." }] });
  const { on, clock } = await start(mock, { UNWATCHED_RUN_MS: "7000" });
  await using _ = on;
  const agent = await on.agent("vendor_a", { budget: LONG_BUDGET });
  const stream = new SseText(await on.send(agent));
  await stream.until("event: delta");
  const [run] = on.service.service.chat.active;
  await stream[Symbol.asyncDispose]();
  await clock.asleepUntil(7_000);
  run!.followers.enter();
  await clock.advance(30_000);
  resume.resolve();
  while (!run!.log.closed) await run!.log.nextAppend();
  const [record] = await on.records();
  assertEquals([record?.finishReason, record?.cost], ["stop", 300]);
});

Deno.test("a run cancelled before its provider has answered closes the connection", async () => {
  await using mock = await MockProviders.start({ otherwise: () => ({ silent: true }) });
  const { on } = await start(mock);
  await using _ = on;
  const agent = await on.agent("vendor_b", { budget: LONG_BUDGET });
  const answer = on.send(agent);
  const request = await mock.asked(1);
  const tenant = await on.service.tenant();
  const [apiKey] = await on.service.service.apiKeys.list(tenant);
  await on.service.service.chat.cancelRunsOf(tenant, apiKey!.id);
  await request.gone;
  await expectError(await answer, "invalid_api_key");
  await expectRecorded(on, { finishReason: "cancelled", cost: PROMPT_COST });
});

Deno.test("a run that times out before its provider has answered closes the connection", async () => {
  await using mock = await MockProviders.start({ otherwise: () => ({ silent: true }) });
  const { on, clock } = await start(mock);
  await using _ = on;
  const agent = await on.agent("vendor_a", { budget: { ...LONG_BUDGET, wallClockMs: 2_000 } });
  const answer = on.send(agent);
  const request = await mock.asked(1);
  await clock.advance(2_000);
  await request.gone;
  await expectError(await answer, "provider_timeout");
  await expectRecorded(on, { finishReason: "timeout", cost: PROMPT_COST });
});

Deno.test("cancelling a run aborts its running tool call", async () => {
  const cancelled = Promise.withResolvers<void>();
  const called = Promise.withResolvers<void>();
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, () => {
    called.resolve();
    const body = new ReadableStream({
      pull: () => new Promise<void>(() => {}),
      cancel: () => cancelled.resolve(),
    });
    return new Response(body);
  });
  const host = `127.0.0.1:${(server.addr as Deno.NetAddr).port}`;
  await using mock = await MockProviders.start();
  mock.next({ say: [{ calls: [{ id: "c1", name: "slow", args: ["{}"] }] }] });
  const { on } = await start(mock, { EGRESS_ALLOW: host });
  const parameters = { type: "object" };
  const request = { method: "GET", url: `http://${host}/slow` };
  const agent = await on.agent("vendor_a", {
    budget: LONG_BUDGET,
    allowedDomains: [host],
    tools: [{ type: "http", name: "slow", description: "Slow.", parameters, request }],
  });
  const stream = new SseText(await on.send(agent));
  await stream.until("event: tool_call");
  await called.promise;
  const tenant = await on.service.tenant();
  const [apiKey] = await on.service.service.apiKeys.list(tenant);
  await on.service.service.chat.cancelRunsOf(tenant, apiKey!.id);
  await cancelled.promise;
  await stream.until("event: done");
  assertEquals(stream.frame("done").finishReason, "cancelled");
  assertEquals(mock.requests.length, 1);
  await stream[Symbol.asyncDispose]();
  await on[Symbol.asyncDispose]();
  await server.shutdown();
});
