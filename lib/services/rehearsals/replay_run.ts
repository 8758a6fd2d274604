import { SEARCH_KNOWLEDGE } from "../../agent/tools/search_knowledge_tool.ts";
import { RecordedToolCalls } from "../../chat/trial/recorded_tool_calls.ts";
import type { TrialJob } from "../../chat/trial/trial_job.ts";
import type { TrialResult } from "../../chat/trial/trial_answer.ts";
import { toUsd } from "../../billing/micro_usd.ts";
import { cutText } from "../../platform/cut_text.ts";
import { firstFitting } from "../../platform/first_fitting.ts";
import type { Agent } from "../../schemas/agent.ts";
import type { RehearsedAnswer } from "../../schemas/rehearsal.ts";
import { answerSources } from "../answer_sources.ts";
import type { RecordedRun } from "./recorded_runs.ts";

/** A stored replay is one value of at most 64 KiB. */
const MAX_WORDS_BYTES = 48 * 1024;
/** In UTF-16 units, and numbers of calls. */
const SIZES = [
  { text: 8_000, question: 2_000, json: 1_000, calls: 8 },
  { text: 4_000, question: 1_000, json: 300, calls: 4 },
  { text: 1_000, question: 500, json: 0, calls: 0 },
] as const;
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
  const sized = (size: typeof SIZES[number]) => ({
    question: cutText(question, 0, size.question),
    before: toAnswer({ text: transcript.text, calls: transcript.tools }, {
      ...{ size, cost: record.cost, latencyMs: record.endedAt - record.startedAt },
      finishReason: record.finishReason,
      ...record.errorCode !== undefined && { errorCode: record.errorCode },
    }),
    after: toAnswer(result, {
      ...{ ...result, size },
      ...result.error !== undefined && { errorCode: result.error.code },
    }),
  });
  const [large, ...smaller] = SIZES;
  const fitted = firstFitting([sized(large), ...smaller.map(sized)], MAX_WORDS_BYTES);
  const { before, after } = fitted;
  return {
    ...fitted,
    cost: { before: record.cost, after: result.cost },
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
  { size, cost, latencyMs, finishReason, errorCode }: {
    size: typeof SIZES[number];
    cost: number;
    latencyMs: number;
    finishReason: RehearsedAnswer["finishReason"];
    errorCode?: string;
  },
): RehearsedAnswer {
  const sources = answerSources(text, calls)
    .map(({ title }) => cutText(title, 0, MAX_TITLE));
  return {
    text: cutText(text, 0, size.text),
    calls: calls.slice(0, size.calls).map(({ name, args, output, differs }) => ({
      name,
      args: shortJson(args, size.json),
      ...output !== undefined && { output: shortJson(output, size.json) },
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
function shortJson(value: unknown, max: number): never {
  const json = JSON.stringify(value) ?? "null";
  return (json.length <= max ? JSON.parse(json) : `${cutText(json, 0, max)}…`) as never;
}
