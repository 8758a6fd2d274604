/** A run whose budget ends is asked for an answer first, over real sockets and in each protocol. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { PROVIDER_IDS, type ProviderId } from "@/lib/schemas/provider_id.ts";
import { catalogueEntry } from "./support/chat.ts";
import { frameTypes, onlyFrame } from "./support/frame_types.ts";
import { readFrames, type ReceivedFrame } from "./support/frames.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { MockProviders, type MockRequest } from "./support/mock_providers/mock_providers.ts";
import type { Script } from "./support/mock_providers/script.ts";
import { ProviderService } from "./support/provider_service.ts";
import { TestService } from "./support/service.ts";
import { byKey, say } from "./support/widget_calls.ts";

const USAGE = { input: 400, output: 100 };
/** At the catalogue's prices of 3 and 15 USD per million tokens. */
const STEP_COST = 400 * 3 + 100 * 15;
const TOOL = {
  ...{ type: "http", name: "lookup", description: "Looks up.", parameters: { type: "object" } },
  request: { method: "GET", url: "https://127.0.0.1/" },
};
const WITH_TOOL = { tools: [TOOL], allowedDomains: ["127.0.0.1"] };

/** How each protocol forbids tools although it lists them. */
const FORBIDDEN: Readonly<Record<ProviderId, (body: MockRequest["body"]) => unknown>> = {
  vendor_a: (body) => body.tool_choice,
  vendor_b: (body) => body.tool_choice?.type,
  vendor_c: (body) => body.toolConfig?.functionCallingConfig.mode.toLowerCase(),
};

const forbidsTools = (request: MockRequest, provider: ProviderId) =>
  FORBIDDEN[provider](request.body) === "none";

/** Calls a tool whenever it may, and otherwise answers. */
function eager(request: MockRequest): Script {
  const provider = PROVIDER_IDS[["openai", "anthropic", "google"].indexOf(request.protocol)]!;
  if (forbidsTools(request, provider)) return { say: [{ text: "So far: blue." }], usage: USAGE };
  return { say: [{ calls: [{ id: "c1", name: "lookup", args: ["{}"] }] }], usage: USAGE };
}

function textOf(frames: readonly ReceivedFrame[]): string {
  return frames.map(({ frame }) => frame.type === "delta" ? frame.text : "").join("");
}

for (const provider of PROVIDER_IDS) {
  Deno.test(`last step (${provider}): a run out of steps answers, and the request forbids its listed tools`, async () => {
    await using mock = await MockProviders.start({ otherwise: eager });
    await using on = await ProviderService.start(mock);
    const budget = { maxCostUsd: 1, maxSteps: 3, wallClockMs: 30_000 };
    const frames = await readFrames(
      await on.send(await on.agent(provider, { ...WITH_TOOL, budget })),
    );
    assertEquals(frameTypes(frames).slice(-3), ["delta", "usage", "done"]);
    assertEquals(textOf(frames), "So far: blue.");
    assertEquals(onlyFrame(frames, "done").finishReason, "stop");
    assertEquals(mock.requests.map((one) => forbidsTools(one, provider)), [false, false, true]);
    const { body } = mock.requests.at(-1)!;
    assertEquals(body.tools.length, 1);
    assertStringIncludes(JSON.stringify(body), "Notice from the service");
    assertEquals((await on.records())[0]?.askedToFinish, "max_steps");
  });

  Deno.test(`last step (${provider}): a run short of money answers within its budget`, async () => {
    await using mock = await MockProviders.start({ otherwise: eager });
    await using on = await ProviderService.start(mock);
    const budget = { maxCostUsd: 0.02, maxSteps: 32, wallClockMs: 30_000 };
    const frames = await readFrames(
      await on.send(await on.agent(provider, { ...WITH_TOOL, budget })),
    );
    assertEquals(textOf(frames), "So far: blue.");
    assertEquals(onlyFrame(frames, "done").finishReason, "stop");
    const [record] = await on.records();
    assertEquals([record?.askedToFinish, record?.excess], ["max_cost", 0]);
    assertEquals(record!.cost, record!.steps * STEP_COST);
    assert(record!.steps >= 3, `${record!.steps} steps`);
    assertEquals(forbidsTools(mock.requests.at(-1)!, provider), true);
  });
}

Deno.test("last step: a run short of time answers before its end", async () => {
  const clock = instantRuntime();
  await using mock = await MockProviders.start({
    otherwise: (request) => {
      clock.advance(4_000);
      return eager(request);
    },
  });
  await using on = await ProviderService.start(mock, clock);
  const budget = { maxCostUsd: 1, maxSteps: 32, wallClockMs: 30_000 };
  const frames = await readFrames(
    await on.send(await on.agent("vendor_b", { ...WITH_TOOL, budget })),
  );
  // After five rounds of 4 s, 10 s are left, and three rounds take 12.
  assertEquals(mock.requests.map((one) => forbidsTools(one, "vendor_b")), [
    ...Array(5).fill(false),
    true,
  ]);
  assertEquals(onlyFrame(frames, "done").finishReason, "stop");
  assertEquals((await on.records())[0]?.askedToFinish, "timeout");
});

Deno.test("last step: a tool result that is too long for the money is cut, and the run answers", async () => {
  const long = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => Response.json({ text: "xylophone ".repeat(5_000) }),
  );
  await using _ = long;
  await using mock = await MockProviders.start({ otherwise: eager });
  const host = `127.0.0.1:${long.addr.port}`;
  await using on = await ProviderService.start(mock, { env: { EGRESS_ALLOW: host } });
  const tool = { ...TOOL, request: { method: "GET", url: `http://${host}/` } };
  const change = { tools: [tool], allowedDomains: [host] };
  const budget = { maxCostUsd: 0.03, maxSteps: 32, wallClockMs: 30_000 };
  const frames = await readFrames(
    await on.send(await on.agent("vendor_a", { ...change, budget })),
  );
  assertEquals(textOf(frames), "So far: blue.");
  assertEquals(onlyFrame(frames, "done").finishReason, "stop");
  const sent = JSON.stringify(mock.requests.at(-1)!.body);
  assertMatch(sent, /\[cut: the first \d+ of \d+ bytes/);
  assert(sent.includes("xylophone") && sent.length < 0.03 * 1e6 / 3);
  const [record] = await on.records();
  assertEquals([record?.askedToFinish, record?.cutResults, record?.excess], ["max_cost", 1, 0]);
});

Deno.test("last step: the daily limit is never exceeded, and a run that it ends answers too", async () => {
  await using mock = await MockProviders.start({ otherwise: eager });
  const hardDailyCost = 20_000;
  const limits = { ipRequests: 1e6, ipMessages: 1e6, keyRequests: 1e6, hardDailyCost };
  await using on = await ProviderService.start(mock, { limits });
  const budget = { maxCostUsd: 1, maxSteps: 32, wallClockMs: 30_000 };
  const frames = await readFrames(
    await on.send(await on.agent("vendor_a", { ...WITH_TOOL, budget })),
  );
  assertEquals(textOf(frames), "So far: blue.");
  const [record] = await on.records();
  assertEquals([record?.askedToFinish, record?.excess], ["max_cost", 0]);
  assert(record!.cost <= hardDailyCost);
});

Deno.test("last step: a model that calls a tool all the same ends on the budget, with its error", async () => {
  const calls: Script = {
    say: [{ calls: [{ id: "c1", name: "lookup", args: ["{}"] }] }],
    usage: USAGE,
  };
  await using mock = await MockProviders.start({ otherwise: () => calls });
  await using on = await ProviderService.start(mock);
  const budget = { maxCostUsd: 0.02, maxSteps: 32, wallClockMs: 30_000 };
  const frames = await readFrames(
    await on.send(await on.agent("vendor_b", { ...WITH_TOOL, budget })),
  );
  assertEquals(frameTypes(frames).slice(-4), ["tool_result", "usage", "error", "done"]);
  assertEquals(onlyFrame(frames, "error").code, "budget_exceeded");
  assertEquals(onlyFrame(frames, "done").finishReason, "max_cost");
});

Deno.test("last step: a fallback that takes the last step over is forbidden its tools too", async () => {
  await using mock = await MockProviders.start({ otherwise: eager });
  const catalogue = PROVIDER_IDS.map((vendor) => catalogueEntry({ vendor }));
  await using on = await ProviderService.start(mock, { catalogue });
  mock.next(eager({ protocol: "openai", body: {} } as MockRequest), { status: 401 });
  const budget = { maxCostUsd: 1, maxSteps: 2, wallClockMs: 30_000 };
  const fallback = { provider: "vendor_b", model: "mid" };
  const agent = await on.agent("vendor_a", { ...WITH_TOOL, budget, fallback });
  const frames = await readFrames(await on.send(agent));
  assertEquals(textOf(frames), "So far: blue.");
  assertEquals(forbidsTools(mock.requests.at(-1)!, "vendor_b"), true);
});

Deno.test("last step: the demo model shows it", async () => {
  await using service = await TestService.start(instantRuntime());
  const key = await service.key(["agents:write"]);
  const budget = { maxCostUsd: 1, maxSteps: 3, wallClockMs: 30_000 };
  const agent = await service.agent(key, { budget });
  const body = { agentId: agent.id, messages: [say("use nowhere 9 times with {}")] };
  const frames = await readFrames(await byKey(service, { key, body }));
  assertEquals(frames.filter(({ frame }) => frame.type === "tool_call").length, 2);
  assertStringIncludes(textOf(frames), "My budget for this answer is nearly used up");
  assertEquals(onlyFrame(frames, "done").finishReason, "stop");
});
