import { setImmediate } from "node:timers";
import type { TestResult, TestRun } from "@/lib/schemas/test_run.ts";
import type { TestSet } from "@/lib/schemas/test_set.ts";
import { BUDGET, startProviders, text } from "./asked_agents.ts";
import { expectJson } from "./expect_response.ts";
import { MockProviders, type MockRequest } from "./mock_providers/mock_providers.ts";
import type { Script } from "./mock_providers/script.ts";
import type { ProviderService, ProviderServiceOptions } from "./provider_service.ts";
import { refundAt, toolServer } from "./waiting_calls.ts";

/** micro-USD of an answer or a grade: 400 tokens in and 100 out, as all scripts report. */
export const STEP = 400 * 3 + 100 * 15;
export const JUDGE = { provider: "vendor_a", model: "mid" };

/** What the model is asked: `grade` as a judge. */
export interface Asked {
  system: string;
  question: string;
  /** The output of the tool that it has called. */
  toolOutput: string | undefined;
  graded: { question: string; answer: string } | undefined;
}

export function askedOf({ body }: MockRequest): Asked {
  const [system, ...messages] = body.messages as { role: string; content: unknown }[];
  const last = messages.at(-1)!;
  const question = String(messages.findLast(({ role }) => role === "user")!.content);
  const isJudge = String(system!.content).startsWith("You grade");
  return {
    system: String(system!.content),
    question,
    toolOutput: last.role === "tool" ? String(last.content) : undefined,
    graded: isJudge ? JSON.parse(question) : undefined,
  };
}

/** A service whose agent answers as `answer` says, with a tool `refund` on a server. */
export async function openTestSets(
  answer: (asked: Asked) => string | Script,
  { limits, agent: change, ...options }: ProviderServiceOptions & {
    agent?: Record<string, unknown>;
  } = {},
) {
  const mock = await MockProviders.start({
    otherwise: (request) => {
      const script = answer(askedOf(request));
      return typeof script === "string" ? text(script) : script;
    },
  });
  const tool = toolServer();
  const many = { ipRequests: 1e6, ipMessages: 1e6, keyRequests: 1e6, hardDailyCost: 50_000_000 };
  const on = await startProviders(mock, {
    ...options,
    limits: { ...many, ...limits },
    env: { EGRESS_ALLOW: tool.host, ...options.env },
  });
  const agent = await on.agent("vendor_a", {
    ...{ tools: [refundAt(tool.host, {})], allowedDomains: [tool.host], budget: BUDGET },
    ...{ systemPrompt: "First", ...change },
  });
  const key = await on.service.key(["agents:write", "conversations:read", "billing:read"]);
  return {
    ...{ mock, tool, on, agent, ...testSetCalls(on.service, key) },
    async [Symbol.asyncDispose]() {
      await on[Symbol.asyncDispose]();
      await tool[Symbol.asyncDispose]();
      await mock[Symbol.asyncDispose]();
    },
  };
}

/** The calls of the API that tests of test sets make, with a key. */
export function testSetCalls(service: Pick<ProviderService["service"], "fetch">, key: string) {
  const call = (method: string, path: string, init: Record<string, unknown> = {}) =>
    service.fetch(`/v1/test-sets${path}`, { method, key, ...init });
  const create = async (agentId: string, more: Record<string, unknown> = {}): Promise<TestSet> =>
    await expectJson(await call("POST", "", { json: { name: "Returns", agentId, ...more } }), 201);
  const add = async (set: string, cases: unknown[]): Promise<string[]> =>
    (await expectJson(await call("POST", `/${set}/cases`, { json: { cases } }), 201)).ids;
  const begin = async (set: string, json: unknown = {}): Promise<TestRun> =>
    await expectJson(await call("POST", `/${set}/runs`, { json }), 202);
  const read = async (set: string, run: string): Promise<TestRun> =>
    await expectJson(await call("GET", `/${set}/runs/${run}`), 200);
  const ended = async (set: string, run: string): Promise<TestRun> => {
    for (;;) {
      const found = await read(set, run);
      if (found.state !== "running") return found;
      await new Promise((wake) => setImmediate(wake));
    }
  };
  const results = async (set: string, run: string): Promise<TestResult[]> =>
    (await expectJson(await call("GET", `/${set}/runs/${run}/results?limit=100`), 200)).data;
  /** Starts a run, waits until it has ended, and reads its results. */
  const run = async (set: string, json: unknown = {}) => {
    const { id } = await begin(set, json);
    return { run: await ended(set, id), results: await results(set, id) };
  };
  const spentToday = async (): Promise<number> => {
    const { costUsd } = await expectJson(await service.fetch("/v1/usage", { key }), 200);
    return Math.round(costUsd * 1e6);
  };
  return { key, call, create, add, begin, read, ended, results, run, spentToday };
}
