/** How a budget ends a run, one case per test, over real sockets: CONTRACT sections 6 and 8. */
import { assert, assertEquals } from "@std/assert";
import { keys } from "@/lib/store/keys/keys.ts";
import { catalogueEntry } from "./support/chat.ts";
import { expectError, expectInvalid } from "./support/expect_response.ts";
import { frameTypes, onlyFrame, startFrame } from "./support/frame_types.ts";
import { readFrames } from "./support/frames.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import type { Script } from "./support/mock_providers/script.ts";
import { ProviderService } from "./support/provider_service.ts";
import { onPage, ORIGIN } from "./support/widget_calls.ts";

const OPEN = { ipRequests: 1e6, ipMessages: 1e6, keyRequests: 1e6 };

function budget(change: Record<string, number> = {}) {
  return { budget: { maxCostUsd: 1, maxSteps: 4, wallClockMs: 30_000, ...change } };
}

function callOf(usage: { input: unknown; output: unknown }): Script {
  return { say: [{ calls: [{ id: "c1", name: "lookup", args: ["{}"] }] }], usage };
}

Deno.test("budgets: a model without a price is 400 wherever it is named, and no provider is called", async () => {
  await using mock = await MockProviders.start();
  await using on = await ProviderService.start(mock);
  const agent = await on.agent("vendor_a", { allowedOrigins: [ORIGIN] });
  const sessionToken = await on.service.mint(on.key, agent.id, ORIGIN);
  await expectInvalid(await on.send(agent, { model: "unpriced" }), ["model"]);
  const body = { model: "unpriced" };
  await expectInvalid(await onPage(on.service, { agent, sessionToken, body }), ["model"]);
  const json = { ...agent, modelPolicy: { provider: "vendor_a", model: "unpriced" } };
  const { id, createdAt: _c, updatedAt: _u, version: _v, ...rest } = json;
  const patch = { method: "PATCH", key: on.key, json: { modelPolicy: rest.modelPolicy } };
  const path = ["modelPolicy.model"];
  await expectInvalid(await on.service.fetch(`/v1/agents/${id}`, patch), path);
  const post = { method: "POST", key: on.key, json: rest };
  await expectInvalid(await on.service.fetch("/v1/agents", post), path);
  // A model that had a price when the agent was created.
  await on.kv.delete(keys.catalogueEntry("vendor_a", "mid"));
  await on.kv.set(keys.catalogueVersion(), 2);
  await expectInvalid(await on.send(agent), ["provider"]);
  assertEquals(mock.requests, []);
  assertEquals(await on.records(), []);
});

Deno.test("budgets: a budget below the first step's cost is start, usage 0, error, done max_cost, without a provider call", async () => {
  await using mock = await MockProviders.start();
  await using on = await ProviderService.start(mock);
  for (const maxCostUsd of [0, 0.000001, 0.0001]) {
    const agent = await on.agent("vendor_b", budget({ maxCostUsd }));
    const frames = await readFrames(await on.send(agent));
    assertEquals(frameTypes(frames), ["start", "usage", "error", "done"]);
    assertEquals([startFrame(frames).provider, startFrame(frames).model], ["vendor_b", "mid"]);
    const { inputTokens, outputTokens, costUsd } = onlyFrame(frames, "usage");
    assertEquals([inputTokens, outputTokens, costUsd], [0, 0, 0]);
    assertEquals(onlyFrame(frames, "error").code, "budget_exceeded");
    assertEquals(onlyFrame(frames, "done").finishReason, "max_cost");
  }
  assertEquals(mock.requests, []);
  assertEquals((await on.records()).map(({ cost, steps }) => [cost, steps]), Array(3).fill([0, 0]));
});

Deno.test("budgets: the remaining budget caps a step's output tokens", async () => {
  await using mock = await MockProviders.start();
  await using on = await ProviderService.start(mock);
  const agent = await on.agent("vendor_b", budget({ maxCostUsd: 0.005 }));
  mock.next({ usage: { input: 0, output: 5_000 } });
  const frames = await readFrames(await on.send(agent));
  const allowed = mock.requests[0]!.body.max_tokens;
  assert(allowed > 1 && allowed * 15 <= 5_000, allowed);
  assertEquals(onlyFrame(frames, "usage").costUsd, 0.005);
});

Deno.test("budgets: reaching the daily limit during a run is error plan_limit_exceeded, done error; then 429 until midnight", async () => {
  await using mock = await MockProviders.start();
  const limits = { ...OPEN, hardDailyCost: 10_000 };
  await using on = await ProviderService.start(mock, { limits });
  const agent = await on.agent("vendor_a", budget());
  mock.next(callOf({ input: 25, output: 655 }));
  const frames = await readFrames(await on.send(agent));
  assertEquals(frameTypes(frames), ["start", "tool_call", "tool_result", "usage", "error", "done"]);
  assertEquals(onlyFrame(frames, "error").code, "plan_limit_exceeded");
  assertEquals(onlyFrame(frames, "done").finishReason, "error");
  assertEquals(onlyFrame(frames, "usage").costUsd, 0.0099);
  assertEquals(mock.requests.length, 1);
  const rejected = await on.send(agent);
  assertEquals(rejected.headers.get("retry-after"), String(12 * 3600));
  await expectError(rejected, "plan_limit_exceeded");
  assertEquals(mock.requests.length, 1);
});

Deno.test("budgets: usage over the budget is charged up to the budget; the rest is excess and one warning", async () => {
  await using mock = await MockProviders.start();
  await using on = await ProviderService.start(mock);
  const agent = await on.agent("vendor_a", budget({ maxCostUsd: 0.01 }));
  mock.next({ usage: { input: 1_000, output: 1_000 } });
  const frames = await readFrames(await on.send(agent));
  assertEquals(onlyFrame(frames, "usage").costUsd, 0.01);
  assertEquals(onlyFrame(frames, "done").finishReason, "stop");
  const [record] = await on.records();
  assertEquals([record?.cost, record?.excess], [10_000, 8_000]);
  const doubts = on.logged("warn").filter(({ runId }) => runId === record?.runId);
  assertEquals(doubts.map(({ message, excessMicroUsd }) => [message, excessMicroUsd]), [
    ["a run cost more than its limits, and the rest was not charged", 8_000],
  ]);
});

Deno.test("budgets: a priced model that reports no cost is one warning; a free model is none", async () => {
  await using mock = await MockProviders.start();
  const free = catalogueEntry({ model: "free", inputUsdPerMTok: 0, outputUsdPerMTok: 0 });
  await using on = await ProviderService.start(mock, { catalogue: [catalogueEntry(), free] });
  const agent = await on.agent("vendor_a");
  mock.next({ usage: { input: 0, output: 0 } });
  await readFrames(await on.send(agent));
  const [record] = await on.records();
  assertEquals(on.logged("warn").map(({ runId, message }) => [runId, message]), [
    [record?.runId, "a priced model answered at no cost"],
  ]);
  await readFrames(await on.send(agent, { model: "free" }));
  await readFrames(await on.send(agent));
  assertEquals(on.logged("warn").length, 1);
});

Deno.test("budgets: invalid token counts are estimated upward, within the reservation", async () => {
  const nonsense = [NaN, -5, 1e300, Number.MAX_SAFE_INTEGER, "12", null, {}];
  for (const usage of [...nonsense.map((n) => ({ input: n, output: n })), "absent" as const]) {
    await using mock = await MockProviders.start();
    await using on = await ProviderService.start(mock);
    mock.next({ usage });
    const frames = await readFrames(await on.send(await on.agent("vendor_a")));
    const { inputTokens, outputTokens } = onlyFrame(frames, "usage");
    assert(inputTokens >= "Be helpful.Hello".length / 4, String(inputTokens));
    assertEquals(outputTokens, "Hello there.".length / 2);
    // Barely enough for the prompt: the JSON of the request is longer.
    const tight = await on.agent("vendor_a", budget({ maxCostUsd: 0.0002 }));
    mock.next({ usage });
    assertEquals(onlyFrame(await readFrames(await on.send(tight)), "done").finishReason, "stop");
    assertEquals((await on.records()).map(({ excess }) => excess), [0, 0]);
  }
});

Deno.test("budgets: a tool loop ends at maxSteps, and every step is charged", async () => {
  await using mock = await MockProviders.start({
    otherwise: () => callOf({ input: 10, output: 10 }),
  });
  await using on = await ProviderService.start(mock);
  for (const [n, maxSteps] of [1, 3, 32].entries()) {
    const agent = await on.agent("vendor_c", budget({ maxSteps, maxCostUsd: 100 }));
    const before = mock.requests.length;
    const frames = await readFrames(await on.send(agent));
    assertEquals(onlyFrame(frames, "done").finishReason, "max_steps");
    assertEquals(onlyFrame(frames, "error").code, "budget_exceeded");
    assertEquals(onlyFrame(frames, "usage").costUsd, maxSteps * 180 / 1e6);
    assertEquals(mock.requests.length - before, maxSteps);
    assertEquals((await on.records()).length, n + 1);
  }
});
