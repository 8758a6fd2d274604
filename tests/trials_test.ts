/** Trials: an agent answers without a conversation, for money that was set aside. */
import { assert, assertEquals } from "@std/assert";
import type { Agent } from "@/lib/schemas/agent.ts";
import { RecordedToolCalls } from "@/lib/chat/trial/recorded_tool_calls.ts";
import { TrialPurse } from "@/lib/chat/trial/trial_purse.ts";
import {
  asks,
  askThenAnswer,
  BUDGET,
  callExpert,
  startProviders,
  text,
} from "./support/asked_agents.ts";
import { expectJson } from "./support/expect_response.ts";
import { readFrames } from "./support/frames.ts";
import { MockProviders, type MockRequest } from "./support/mock_providers/mock_providers.ts";
import type { ProviderService } from "./support/provider_service.ts";
import { refundAt, toolServer } from "./support/waiting_calls.ts";
import { say } from "./support/widget_calls.ts";

const SOURCE = { kind: "user", id: "01a21700-0000-7000-8000-000000000000" } as const;
const ASKED = "May I return order A-1042?";

async function purseOf(on: ProviderService, amount = 1_000_000): Promise<TrialPurse> {
  const { trials, charges } = on.service.service;
  const tenant = await on.service.tenant();
  const purse = await TrialPurse.open({ trials, charges }, { tenant, amount });
  assert(purse !== undefined);
  return purse;
}

async function trialOf(on: ProviderService, agent: Agent) {
  return { tenant: await on.service.tenant(), agent, messages: [say(ASKED)], source: SOURCE };
}

/** Calls the refund tool of the prompt once, then answers. */
function refundOnce({ body }: MockRequest) {
  const hasAnswer = JSON.stringify(body).includes("tool_call_id");
  if (hasAnswer) return text("Your money is on its way.");
  const call = { id: "c1", name: "refund", args: ['{"q":"A-1042"}'] };
  return { say: [{ calls: [call] }], usage: { input: 400, output: 100 } };
}

async function spentToday(on: ProviderService): Promise<number> {
  const report = await expectJson(await on.service.fetch("/v1/usage", { key: on.key }), 200);
  return Math.round(report.costUsd * 1e6);
}

Deno.test("a trial sends the model what a run sends, and nothing of it is stored", async () => {
  await using mock = await MockProviders.start({ otherwise: () => text("Within 30 days.") });
  await using on = await startProviders(mock);
  const agent = await on.agent("vendor_a", {
    ...{ budget: BUDGET, systemPrompt: "You know parcels." },
    modelPolicy: { provider: "vendor_a", model: "mid", temperature: 0.2, maxOutputTokens: 300 },
  });
  await readFrames(await on.send(agent, { messages: [say(ASKED)] }));
  const purse = await purseOf(on);
  const result = await purse.run({ ...await trialOf(on, agent), tools: "live" });
  assertEquals([result.text, result.finishReason, result.steps], ["Within 30 days.", "stop", 1]);
  const [run, trial] = mock.requests.map(({ body }) => body);
  assertEquals(trial, run);
  assertEquals((await on.records()).length, 1);
  const { data } = await expectJson(
    await on.service.fetch("/v1/conversations", {
      key: await on.service.key(["conversations:read"]),
    }),
    200,
  );
  assertEquals(data.length, 1);
  await purse.close();
});

Deno.test("a trial costs what its models report, to the micro-USD, and the rest is free again", async () => {
  await using mock = await MockProviders.start({ otherwise: askThenAnswer });
  const limits = { ipRequests: 1e6, ipMessages: 1e6, keyRequests: 1e6, hardDailyCost: 1_000_000 };
  await using on = await startProviders(mock, { limits });
  const expert = await on.agent("vendor_b", { budget: BUDGET });
  const caller = await on.agent("vendor_a", { tools: [asks(expert.id)], budget: BUDGET });
  const purse = await purseOf(on, 900_000);
  const { trials, charges } = on.service.service;
  const tenant = await on.service.tenant();
  const tooMuch = await TrialPurse.open({ trials, charges }, { tenant, amount: 200_000 });
  assertEquals(tooMuch, undefined);
  const trial = { ...await trialOf(on, caller), tools: "live" as const };
  const results = await Promise.all([1, 2, 3].map(() => purse.run(trial)));
  const each = 2 * (400 * 3 + 100 * 15) + 400 * 10 + 100 * 50;
  assertEquals(results.map(({ cost }) => cost), [each, each, each]);
  assertEquals([purse.spent, await spentToday(on)], [3 * each, 3 * each]);
  await purse.close();
  const again = await TrialPurse.open({ trials, charges }, { tenant, amount: 900_000 });
  assert(again !== undefined);
  await again.close();
});

Deno.test("a trial ends on the money that is left, and never costs more", async () => {
  await using mock = await MockProviders.start({ otherwise: () => callExpert() });
  await using on = await startProviders(mock);
  const expert = await on.agent("vendor_b", { budget: BUDGET });
  const agent = await on.agent("vendor_a", { tools: [asks(expert.id)], budget: BUDGET });
  for (const amount of [10, 5_000, 40_000]) {
    const purse = await purseOf(on, amount);
    const { finishReason, cost } = await purse.run({ ...await trialOf(on, agent), tools: "live" });
    assertEquals(finishReason, "max_cost", `${amount}`);
    assert(cost <= amount, `${cost} of ${amount}`);
    await purse.close();
  }
});

Deno.test("a trial with recorded calls makes none, and marks those that differ", async () => {
  await using mock = await MockProviders.start({ otherwise: refundOnce });
  await using tool = toolServer();
  await using on = await startProviders(mock, { env: { EGRESS_ALLOW: tool.host } });
  const agent = await on.agent("vendor_a", {
    ...{ tools: [refundAt(tool.host, { approval: "visitor" })], allowedDomains: [tool.host] },
    budget: BUDGET,
  });
  const run = async (args: unknown) => {
    const purse = await purseOf(on);
    const tools = new RecordedToolCalls([{ name: "refund", args, output: { done: "recorded" } }]);
    const result = await purse.run({ ...await trialOf(on, agent), tools });
    await purse.close();
    return result;
  };
  const same = await run({ q: "A-1042" });
  assertEquals(same.calls, [
    { name: "refund", args: { q: "A-1042" }, output: { done: "recorded" } },
  ]);
  assertEquals(same.text, "Your money is on its way.");
  const other = await run({ q: "A-2000" });
  assertEquals(other.calls[0]!.differs, true);
  assertEquals(
    (other.calls[0]!.output as { error: { code: string } }).error.code,
    "tool_unavailable",
  );
  assertEquals(tool.requests, []);
});

Deno.test("a trial that cannot begin, or is stopped, says why", async () => {
  await using mock = await MockProviders.start({ otherwise: () => text("Hi") });
  await using on = await startProviders(mock);
  const agent = await on.agent("vendor_a", { budget: BUDGET });
  const purse = await purseOf(on);
  const trial = { ...await trialOf(on, agent), tools: "live" as const };
  const model = { ...agent.modelPolicy, model: "gone" };
  const missing = await purse.run({ ...trial, agent: { ...agent, modelPolicy: model } });
  assertEquals([missing.finishReason, missing.error?.code], ["error", "schema_validation_failed"]);
  const stopped = await purse.run({ ...trial, signal: AbortSignal.abort() });
  assertEquals([stopped.finishReason, stopped.cost], ["cancelled", 0]);
  await purse.close();
});
