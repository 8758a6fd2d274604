/** Trials: an agent answers without a conversation, for money that was set aside. */
import { setImmediate } from "node:timers";
import { assert, assertEquals } from "@std/assert";
import type { Agent } from "@/lib/schemas/agent.ts";
import { RecordedToolCalls } from "@/lib/chat/trial/recorded_tool_calls.ts";
import type { TrialResult } from "@/lib/chat/trial/trial_answer.ts";
import type { TrialJob } from "@/lib/chat/trial/trial_job.ts";
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
import { TestService } from "./support/service.ts";
import { refundAt, toolServer } from "./support/waiting_calls.ts";
import { say } from "./support/widget_calls.ts";

const SOURCE = { kind: "user", id: "01a21700-0000-7000-8000-000000000000" } as const;
const ASKED = "May I return order A-1042?";

/** Runs `work` as a job with an amount in micro-USD; false if the day does not have it. */
async function inJob(
  on: ProviderService,
  work: (job: TrialJob) => Promise<void>,
  amount = 1_000_000,
): Promise<boolean> {
  const { trialJobs } = on.service.service;
  const ended = Promise.withResolvers<void>();
  const id = crypto.randomUUID();
  const tenant = await on.service.tenant();
  const started = await trialJobs.start(tenant, { id, source: SOURCE, amount }, async (job) => {
    try {
      await work(job);
      ended.resolve();
    } catch (error) {
      ended.reject(error);
    }
  });
  if (started) await ended.promise;
  while (await trialJobs.isRunning(tenant, id)) await new Promise((wake) => setImmediate(wake));
  return started;
}

function trialOf(agent: Agent) {
  return { agent, messages: [say(ASKED)] };
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
  await inJob(on, async (job) => {
    const result = await job.run({ ...trialOf(agent), tools: "live" });
    const { text, finishReason, steps } = result!;
    assertEquals([text, finishReason, steps], ["Within 30 days.", "stop", 1]);
  });
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
});

Deno.test("a trial costs what its models report, to the micro-USD, and the rest is free again", async () => {
  await using mock = await MockProviders.start({ otherwise: askThenAnswer });
  const limits = { ipRequests: 1e6, ipMessages: 1e6, keyRequests: 1e6, hardDailyCost: 1_000_000 };
  await using on = await startProviders(mock, { limits });
  const expert = await on.agent("vendor_b", { budget: BUDGET });
  const caller = await on.agent("vendor_a", { tools: [asks(expert.id)], budget: BUDGET });
  const trial = { ...trialOf(caller), tools: "live" as const };
  const each = 2 * (400 * 3 + 100 * 15) + 400 * 10 + 100 * 50;
  await inJob(on, async (job) => {
    assertEquals(await inJob(on, () => Promise.resolve(), 200_000), false);
    const results = await Promise.all([1, 2, 3].map(() => job.run(trial)));
    assertEquals(results.map((result) => result!.cost), [each, each, each]);
    assertEquals([job.spent, await spentToday(on)], [3 * each, 3 * each]);
  }, 900_000);
  assertEquals(await inJob(on, () => Promise.resolve(), 900_000), true);
});

Deno.test("a trial ends on the money that is left, and never costs more", async () => {
  await using mock = await MockProviders.start({ otherwise: () => callExpert() });
  await using on = await startProviders(mock);
  const expert = await on.agent("vendor_b", { budget: BUDGET });
  const agent = await on.agent("vendor_a", { tools: [asks(expert.id)], budget: BUDGET });
  for (const amount of [10, 5_000, 40_000]) {
    await inJob(on, async (job) => {
      // The agent would have had more: that is no answer.
      assertEquals(await job.run({ ...trialOf(agent), tools: "live" }), undefined);
      assert(job.spent <= amount, `${job.spent} of ${amount}`);
    }, amount);
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
    const tools = new RecordedToolCalls([{ name: "refund", args, output: { done: "recorded" } }]);
    let result: TrialResult | undefined;
    await inJob(on, async (job) => {
      result = await job.run({ ...trialOf(agent), tools });
    });
    return result!;
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
  const trial = { ...trialOf(agent), tools: "live" as const };
  const model = { ...agent.modelPolicy, model: "gone" };
  await inJob(on, async (job) => {
    const missing = await job.run({ ...trial, agent: { ...agent, modelPolicy: model } });
    const { finishReason, error } = missing!;
    assertEquals([finishReason, error?.code], ["error", "schema_validation_failed"]);
    job.abort();
    assertEquals(await job.run(trial), undefined);
  });
});

Deno.test("a job of a dead process is settled by another one, with what its open trial may have cost", async () => {
  let asked = Promise.withResolvers<void>();
  await using mock = await MockProviders.start({
    otherwise: () => {
      asked.resolve();
      return { silent: true as const };
    },
  });
  await using on = await startProviders(mock);
  const agent = await on.agent("vendor_a", { budget: { ...BUDGET, maxCostUsd: 0.02 } });
  const { trialJobs } = on.service.service;
  const tenant = await on.service.tenant();
  const id = crypto.randomUUID();
  await trialJobs.start(tenant, { id, source: SOURCE, amount: 100_000 }, async (job) => {
    await job.run({ ...trialOf(agent), tools: "live" });
  });
  await asked.promise;
  asked = Promise.withResolvers();
  // Another process, ten minutes later.
  const runtime = { now: () => on.service.service.runtime.now() + 10 * 60_000 };
  await using other = await TestService.start({ kv: on.kv, keepKv: true, runtime });
  assertEquals(await other.service.trialJobs.isRunning(tenant, id), false);
  assertEquals(await other.service.trialJobs.isRunning(tenant, id), false);
  assertEquals(await spentToday(on), 20_000);
});

Deno.test("a job that fails charges what is still being answered", async () => {
  const asked = Promise.withResolvers<void>();
  await using mock = await MockProviders.start({
    otherwise: (request) => {
      if (!JSON.stringify(request.body).includes("tool_call_id")) return refundOnce(request);
      asked.resolve();
      return { silent: true as const };
    },
  });
  await using tool = toolServer();
  await using on = await startProviders(mock, { env: { EGRESS_ALLOW: tool.host } });
  const agent = await on.agent("vendor_a", {
    ...{ tools: [refundAt(tool.host, {})], allowedDomains: [tool.host], budget: BUDGET },
  });
  let trial: Promise<TrialResult | undefined> | undefined;
  const { trialJobs } = on.service.service;
  const tenant = await on.service.tenant();
  const id = crypto.randomUUID();
  await trialJobs.start(tenant, { id, source: SOURCE, amount: 1_000_000 }, async (job) => {
    trial = job.run({ ...trialOf(agent), tools: new RecordedToolCalls([]) });
    await asked.promise;
    throw new Error("the store failed");
  });
  await asked.promise;
  const result = await trial;
  while (await trialJobs.isRunning(tenant, id)) await new Promise((wake) => setImmediate(wake));
  assert(result!.cost >= 400 * 3 + 100 * 15, `${result!.cost}`);
  assertEquals(await spentToday(on), result!.cost);
});
