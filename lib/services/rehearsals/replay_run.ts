import { SEARCH_KNOWLEDGE } from "../../agent/tools/search_knowledge_tool.ts";
import { RecordedToolCalls } from "../../chat/trial/recorded_tool_calls.ts";
import type { TrialJob } from "../../chat/trial/trial_job.ts";
import type { TrialResult } from "../../chat/trial/trial_answer.ts";
import { toUsd } from "../../billing/micro_usd.ts";
import { cutText } from "../../platform/cut_text.ts";
import type { Agent } from "../../schemas/agent.ts";
import type { RehearsedAnswer } from "../../schemas/rehearsal.ts";
import { answerSources } from "../answer_sources.ts";
import type { RecordedRun } from "./recorded_runs.ts";

/** In UTF-16 units: a stored replay is one value of at most 64 KiB. */
const MAX_TEXT = 8_000;
const MAX_QUESTION = 2_000;
const MAX_JSON = 1_000;
const MAX_CALLS = 8;
const MAX_SOURCES = 10;
const MAX_TITLE = 120;

/** Both answers to a question. */
export interface ReplayedRun {
  question: string;
  before: RehearsedAnswer;
  after: RehearsedAnswer;
  /** Micro-USD. */
  cost: { before: number; after: number };
  isChanged: boolean;
  hasOtherSources: boolean;
  differingCalls: number;
}

/**
 * Asks a version of the agent what a recorded run was asked. Tools answer with the recorded results;
 * `undefined` if the job has nothing left for it.
 */
export async function replayRun(
  run: RecordedRun,
  { agent, recordedBy, job }: {
    agent: Agent;
    /** The version that had answered, if it is still stored. */
    recordedBy: Agent | undefined;
    job: TrialJob;
  },
): Promise<ReplayedRun | undefined> {
  const { transcript, messages, question, record, visitorId } = run;
  const names = namesOfServerTools(transcript.tools, { agent, recordedBy });
  const result = await job.run({
    ...{ agent, messages },
    ...visitorId !== undefined && { visitor: { id: visitorId, variables: {} } },
    tools: new RecordedToolCalls(transcript.tools, { names }),
  });
  // Stopped in the middle: what it says is no answer.
  if (result === undefined || result.finishReason === "cancelled") return undefined;
  const before = toAnswer({ text: transcript.text, calls: transcript.tools }, {
    cost: record.cost,
    latencyMs: record.endedAt - record.startedAt,
    finishReason: record.finishReason,
    ...record.errorCode !== undefined && { errorCode: record.errorCode },
  });
  const after = toAnswer(result, {
    ...result,
    ...result.error !== undefined && { errorCode: result.error.code },
  });
  return {
    question: cutText(question, 0, MAX_QUESTION),
    ...{ before, after, cost: { before: record.cost, after: result.cost } },
    isChanged: transcript.text.trim() !== result.text.trim(),
    hasOtherSources: before.sources.toSorted().join("\n") !== after.sources.toSorted().join("\n"),
    differingCalls: result.calls.filter(({ differs }) => differs).length,
  };
}

/**
 * The recorded tools of MCP servers, which are not asked what they offer: those that neither version
 * defines by itself.
 */
export function namesOfServerTools(
  calls: RecordedRun["transcript"]["tools"],
  { agent, recordedBy }: { agent: Agent; recordedBy: Agent | undefined },
): string[] {
  const hasServers = (one: Agent) => one.tools.some(({ type }) => type === "mcp");
  if (!hasServers(agent) || (recordedBy !== undefined && !hasServers(recordedBy))) return [];
  const own = [agent, recordedBy].flatMap((one) => one?.tools ?? [])
    .filter(({ type }) => type !== "mcp").map(({ name }) => name);
  const known = new Set([...own, SEARCH_KNOWLEDGE]);
  return [...new Set(calls.map(({ name }) => name))].filter((name) => !known.has(name));
}

function toAnswer(
  { text, calls }: Pick<TrialResult, "text" | "calls">,
  { cost, latencyMs, finishReason, errorCode }: {
    cost: number;
    latencyMs: number;
    finishReason: RehearsedAnswer["finishReason"];
    errorCode?: string;
  },
): RehearsedAnswer {
  const sources = answerSources(text, calls)
    .map(({ title }) => cutText(title, 0, MAX_TITLE));
  return {
    text: cutText(text, 0, MAX_TEXT),
    calls: calls.slice(0, MAX_CALLS).map(({ name, args, output, differs }) => ({
      name,
      args: shortJson(args),
      ...output !== undefined && { output: shortJson(output) },
      ...differs && { differs },
    })),
    sources: [...new Set(sources)].slice(0, MAX_SOURCES),
    costUsd: toUsd(cost),
    latencyMs: Math.max(0, latencyMs),
    finishReason,
    ...errorCode !== undefined && { errorCode },
  };
}

/** The value, or the beginning of its JSON. */
function shortJson(value: unknown): never {
  const json = JSON.stringify(value) ?? "null";
  return (json.length <= MAX_JSON ? JSON.parse(json) : `${cutText(json, 0, MAX_JSON)}…`) as never;
}
