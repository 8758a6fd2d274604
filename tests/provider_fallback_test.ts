/** When an agent's fallback model answers, over real sockets: CONTRACT sections 6 and 7. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { catalogueEntry } from "./support/chat.ts";
import { expectError } from "./support/expect_response.ts";
import { frameTypes, startFrame } from "./support/frame_types.ts";
import { readFrames, textOf } from "./support/frames.ts";
import { ManualClock } from "./support/manual_clock.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import type { Script } from "./support/mock_providers/script.ts";
import { SseText } from "./support/sse_text.ts";
import { ProviderService } from "./support/provider_service.ts";

/** Attempts at a provider after a transient error. */
const ATTEMPTS = 3;

/** The mock answers every OpenAI request with `primary` and every Anthropic request with `spare`. */
function startMock(primary: Script, spare: Script = { say: [{ text: "I am the other." }] }) {
  return MockProviders.start({
    otherwise: ({ protocol }) => (protocol === "openai" ? primary : spare),
  });
}

/** The number of requests that each provider received. */
function requestCounts(mock: MockProviders): [number, number] {
  const of = (protocol: string) =>
    mock.requests.filter((request) => request.protocol === protocol).length;
  return [of("openai"), of("anthropic")];
}

/** The estimated cost of a prompt that a provider accepted without answering. */
const PROMPT_COST = 144;

const FAILURES: [string, Script, attempts: number, billed?: number][] = [
  ["429", { status: 429 }, ATTEMPTS],
  [
    "429 with a Retry-After longer than the run",
    { status: 429, headers: { "retry-after": "60" } },
    1,
  ],
  ["429 with a Retry-After of some seconds", { status: 429, headers: { "retry-after": "5" } }, 1],
  ["insufficient quota", { status: 429, body: '{"error":{"code":"insufficient_quota"}}' }, 1],
  ["500", { status: 500 }, ATTEMPTS],
  ["503", { status: 503, body: "<html>busy</html>" }, ATTEMPTS],
  ["408", { status: 408 }, ATTEMPTS],
  ["a response that is not HTTP", { garbage: "SSH-2.0-nothing\r\n\r\n" }, ATTEMPTS],
  ["a page instead of a stream", { headers: { "content-type": "text/html" }, body: "<p>" }, 1],
  ["a stream of nonsense", { body: "data: {nonsense\n\n" }, 1, 1],
  ["a stream without an event", { body: "" }, ATTEMPTS, ATTEMPTS],
  [
    "an error as the first event",
    { body: 'data: {"error":{"type":"server_error"}}\n\n' },
    ATTEMPTS,
  ],
];

for (const [what, script, attempts, billed = 0] of FAILURES) {
  Deno.test(`fallback: answers when the provider returns ${what}, and the start frame names it`, async () => {
    await using mock = await startMock(script);
    await using on = await ProviderService.start(mock, { runtime: new ManualClock().runtime });
    const frames = await readFrames(await on.ask("vendor_a", "vendor_b"));
    assertEquals([startFrame(frames).provider, textOf(frames)], ["vendor_b", "I am the other."]);
    assertEquals(frameTypes(frames), ["start", "delta", "usage", "done"]);
    assertEquals(requestCounts(mock), [attempts, 1]);
    const [record] = await on.records();
    assertEquals([record?.provider, record?.cost], ["vendor_b", 300 + billed * PROMPT_COST]);
  });
}

Deno.test("fallback: answers when the provider's stream fails before any text, and each provider's usage is charged at its own price", async () => {
  const overloaded: Script = { say: [{ error: "overloaded" }], end: "none" };
  await using mock = await MockProviders.start({
    otherwise: ({ protocol }) => (protocol === "anthropic" ? overloaded : {}),
  });
  const expensive = catalogueEntry({ vendor: "vendor_b", inputUsdPerMTok: 7 });
  const catalogue = [catalogueEntry({ vendor: "vendor_a" }), expensive];
  await using on = await ProviderService.start(mock, {
    runtime: new ManualClock().runtime,
    catalogue,
  });
  const frames = await readFrames(await on.ask("vendor_b", "vendor_a"));
  assertEquals([startFrame(frames).provider, textOf(frames)], ["vendor_a", "Hello there."]);
  assertEquals(requestCounts(mock), [1, ATTEMPTS]);
  // Each attempt reported 25 input tokens and one output token.
  const tried = { provider: "vendor_b", inputTokens: 75, outputTokens: 3, cost: 3 * (25 * 7 + 15) };
  const answered = { provider: "vendor_a", inputTokens: 25, outputTokens: 15, cost: 300 };
  await expectShares(on, [{ ...tried, steps: 0, runs: 0 }, { ...answered, steps: 1, runs: 1 }]);
});

Deno.test("fallback: a later step is recorded and counted under the model that ran it", async () => {
  await using mock = await MockProviders.start();
  mock.next(
    { say: [{ calls: [{ id: "functions.x:0", name: "x", args: ["{}"] }] }] },
    ...Array.from({ length: ATTEMPTS }, () => ({ status: 500 })),
    { usage: { input: 31, output: 7 } },
  );
  const catalogue = [
    catalogueEntry({ vendor: "vendor_a" }),
    catalogueEntry({ vendor: "vendor_b", inputUsdPerMTok: 0.33, outputUsdPerMTok: 1.7 }),
  ];
  await using on = await ProviderService.start(mock, {
    runtime: new ManualClock().runtime,
    catalogue,
  });
  const frames = await readFrames(await on.ask("vendor_a", "vendor_b"));
  assertEquals([startFrame(frames).provider, textOf(frames)], ["vendor_a", "Hello there."]);
  const [, call, result] = mock.requests.at(-1)!.body.messages;
  assertEquals([call.content[0].id, result.content[0].tool_use_id], ["call_1", "call_1"]);
  const first = { provider: "vendor_a", inputTokens: 25, outputTokens: 15, cost: 300 };
  const later = { provider: "vendor_b", inputTokens: 31, outputTokens: 7, cost: 23 };
  await expectShares(on, [{ ...first, steps: 1, runs: 1 }, { ...later, steps: 1, runs: 0 }]);
});

type Share = Record<"steps" | "runs" | "inputTokens" | "outputTokens" | "cost", number> & {
  provider: string;
};

/** The only run is recorded with these shares per model, and GET /v1/usage reports each. */
async function expectShares(on: ProviderService, shares: Share[]) {
  const [record] = await on.records();
  assertEquals(
    record?.models?.map(({ model: _, ...share }) => share),
    shares.map(({ runs: _, ...share }) => share),
  );
  assertEquals(record?.cost, shares.reduce((sum, { cost }) => sum + cost, 0));
  const usage = await (await on.service.fetch("/v1/usage", { key: on.key })).json();
  const byCost = (rows: { costUsd: number }[]) => rows.sort((a, b) => a.costUsd - b.costUsd);
  assertEquals(
    byCost(usage.byModel),
    byCost(shares.map(({ steps: _, cost, runs, ...share }) => (
      { ...share, model: "mid", runs, messages: runs, costUsd: cost / 1e6 }
    ))),
  );
  assertEquals([usage.runs, usage.costUsd], [1, record!.cost / 1e6]);
}

Deno.test("fallback: answers when the provider cannot be reached", async () => {
  await using mock = await startMock({});
  const closed = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = closed.addr as Deno.NetAddr;
  closed.close();
  const env = { VENDOR_A_BASE_URL: `http://127.0.0.1:${port}/v1` };
  await using on = await ProviderService.start(mock, { runtime: new ManualClock().runtime, env });
  const frames = await readFrames(await on.ask("vendor_a", "vendor_b"));
  assertEquals(startFrame(frames).provider, "vendor_b");
  assertEquals(requestCounts(mock), [0, 1]);
});

Deno.test("fallback: answers when the provider stops responding, on the stream that is already open", async () => {
  await using mock = await startMock({ silent: true });
  const clock = new ManualClock();
  await using on = await ProviderService.start(mock, { runtime: clock.runtime });
  const agent = await on.agent("vendor_a", {
    budget: { maxCostUsd: 1, maxSteps: 1, wallClockMs: 120_000 },
    fallback: { provider: "vendor_b", model: "mid" },
  });
  const answer = on.send(agent);
  const primary = await mock.asked(1);
  await clock.advance(5_000);
  await using stream = new SseText(await answer);
  await stream.until("retry: 1500\n\n");
  assertEquals(stream.events, []);
  await clock.advance(55_000);
  await stream.until("event: done");
  await primary.gone;
  assertEquals(stream.events, ["start", "delta", "usage", "done"]);
  assertEquals(stream.frame("start").provider, "vendor_b");
  assertEquals(requestCounts(mock), [1, 1]);
});

Deno.test("fallback: not used after text was sent, and that text is charged", async () => {
  for (const finish of ["close", "reset", "half"] as const) {
    const received = Promise.withResolvers<void>();
    const say = [{ text: "Half" }, { wait: received.promise }];
    await using mock = await startMock({ say, end: "none", finish });
    await using on = await ProviderService.start(mock, { runtime: new ManualClock().runtime });
    await using stream = new SseText(await on.ask("vendor_a", "vendor_b"));
    await stream.until("event: delta");
    received.resolve();
    await stream.until("event: done");
    assertEquals(stream.events, ["start", "delta", "usage", "error", "done"]);
    assertEquals(stream.frame("start").provider, "vendor_a");
    assertEquals(stream.frame("error").code, "provider_error");
    assertEquals(stream.frame("done").finishReason, "error");
    assertEquals(requestCounts(mock), [1, 0]);
    const [record] = await on.records();
    assertEquals(stream.frame("usage").costUsd, record!.cost / 1e6);
    assert(record!.outputTokens >= 1 && record!.cost > 0);
  }
});

Deno.test("fallback: if both models fail, the response is an error envelope with the code of the last", async () => {
  const cases: [Script, Script, "provider_error" | "provider_rate_limited" | "provider_timeout"][] =
    [
      [{ status: 429 }, { status: 500 }, "provider_error"],
      [{ status: 500 }, { status: 429 }, "provider_rate_limited"],
      [{ status: 401 }, { status: 504 }, "provider_timeout"],
      [{ status: 504 }, { garbage: "nothing" }, "provider_error"],
    ];
  for (const [primary, spare, code] of cases) {
    await using mock = await startMock(primary, spare);
    await using on = await ProviderService.start(mock, { runtime: new ManualClock().runtime });
    const answer = await on.ask("vendor_a", "vendor_b");
    const retryAfter = answer.headers.get("retry-after");
    await expectError(answer, code);
    assertEquals(retryAfter, code === "provider_rate_limited" ? "1" : null);
    const [record] = await on.records();
    assertEquals([record?.cost, record?.finishReason, record?.errorCode], [0, "error", code]);
  }
});

Deno.test("fallback: a 503 passes on the last provider's Retry-After, at most an hour", async () => {
  for (const [retryAfter, expected] of [["90", "90"], ["1000000", "3600"]] as const) {
    await using mock = await startMock({ status: 500 }, {
      status: 429,
      headers: { "retry-after": retryAfter },
    });
    await using on = await ProviderService.start(mock, { runtime: new ManualClock().runtime });
    const answer = await on.ask("vendor_a", "vendor_b");
    assertEquals([answer.status, answer.headers.get("retry-after")], [503, expected]);
    await answer.body?.cancel();
  }
});

Deno.test("a provider that accepts after 5 s: the stream opens with retry and pings, then start follows", async () => {
  const accept = Promise.withResolvers<void>();
  await using mock = await MockProviders.start();
  const clock = new ManualClock();
  await using on = await ProviderService.start(mock, { runtime: clock.runtime });
  mock.next({ say: [{ wait: accept.promise }, { text: "At last." }] });
  const agent = await on.agent("vendor_c");
  const answer = on.send(agent);
  await mock.asked(1);
  await clock.advance(5_000);
  await using stream = new SseText(await answer);
  await stream.until("retry: 1500\n\n");
  await clock.asleepUntil(15_000);
  assertEquals(stream.text, "retry: 1500\n\n");
  await clock.advance(10_000);
  await stream.until(": ping\n\n");
  assertEquals(stream.text, "retry: 1500\n\n: ping\n\n");
  accept.resolve();
  await stream.until("event: done");
  assertEquals(stream.events, ["start", "delta", "usage", "done"]);
  assertStringIncludes(stream.text, "At last.");
});

Deno.test("a provider that rejects after 5 s: start names the last provider tried, then usage, error and done follow", async () => {
  const resume = Promise.withResolvers<void>();
  await using mock = await MockProviders.start();
  const clock = new ManualClock();
  await using on = await ProviderService.start(mock, { runtime: clock.runtime });
  mock.next({ say: [{ wait: resume.promise }, { error: "invalid" }], end: "none" }, {
    status: 403,
  });
  const agent = await on.agent("vendor_c", { fallback: { provider: "vendor_b", model: "mid" } });
  const answer = on.send(agent);
  await mock.asked(1);
  await clock.advance(5_000);
  await using stream = new SseText(await answer);
  await stream.until("retry: 1500\n\n");
  resume.resolve();
  await stream.until("event: done");
  assertEquals(stream.events, ["start", "usage", "error", "done"]);
  assertEquals(stream.frame("start").provider, "vendor_b");
  assertEquals(stream.frame("usage").costUsd, 0);
  assertEquals(stream.frame("error").code, "provider_error");
});
