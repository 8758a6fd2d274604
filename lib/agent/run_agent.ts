import type { Model, ModelMessage, ModelTool, ModelUsage } from "../providers/model.ts";
import type { FinishReason, StreamErrorCode } from "../schemas/error_codes.ts";
import type { ProviderId } from "../schemas/provider_id.ts";
import { executeToolCall } from "./execute_tool_call.ts";
import type { ContextWindow } from "./context_window.ts";
import { fitRunTools, fitStep, type Truncation } from "./fit_step.ts";
import { openStep } from "./open_step.ts";
import { stripProviderMetadata, toAssistantMessage } from "./message_history.ts";
import { streamStep } from "./stream_step.ts";
import type { Toolset } from "./tools/toolset.ts";

/** A model that may answer, in the order to be asked. */
export interface Candidate {
  provider: ProviderId;
  model: string;
  client: Model;
}

/** What the loop tells as it goes. The first `step` comes before anything else. */
export type AgentEvent =
  /** A model has accepted: `n` counts from 1. */
  | { type: "step"; n: number; provider: ProviderId; model: string }
  | { type: "text"; text: string }
  | { type: "tool_call"; name: string; args: unknown }
  | { type: "tool_result"; name: string; output: unknown }
  | {
    type: "usage";
    provider: ProviderId;
    model: string;
    inputTokens: number;
    outputTokens: number;
  };

/** How a run ended; `error` says why, when it did not end by itself. */
export interface AgentOutcome {
  finishReason: FinishReason;
  error?: { code: StreamErrorCode; message: string };
}

/** A step about to be made: nobody will read more tokens than `inputTokens` for it. */
export interface PlannedStep {
  inputTokens: number;
  /** Of all that is read; more than the tokens where a turn's thoughts are known to be fewer. */
  inputBytes: number;
  candidates: readonly Candidate[];
}

/**
 * What a step may write, by candidate, 0 for one that cannot be paid; or how the run ends, because
 * nothing is left to pay it.
 */
export type StepGrant =
  | { outputTokens: (candidate: Candidate) => number }
  | { ended: AgentOutcome };

export interface AgentRunOptions {
  /** At least one; the first is the agent's own choice, the others its fallback. */
  candidates: readonly Candidate[];
  system: string;
  messages: readonly ModelMessage[];
  tools: readonly ModelTool[];
  /** Carries out one call. A tool's failure is its output, never an exception. */
  executeTool: (name: string, args: unknown, signal: AbortSignal) => Promise<unknown>;
  /** Asked before each step: money is handed in, the loop knows none. */
  authorizeStep: (step: PlannedStep) => Promise<StepGrant>;
  /** Told of each candidate before it is asked. */
  onAttempt?: (candidate: Candidate) => void;
  /** What the smallest candidate can take; unset, everything fits. */
  contextWindow?: ContextWindow;
  /** Told before a step what does not fit into it. */
  onTruncation?: (what: Truncation) => void;
  /** Told what a candidate may bill for an attempt that came to nothing. */
  onUsage?: (candidate: Candidate, usage: ModelUsage) => void;
  maxSteps: number;
  temperature?: number;
  /** When the run's time is over, milliseconds since the epoch: no retry waits past it. */
  deadline?: number;
  signal: AbortSignal;
}

/**
 * The loop: ask the model, carry out the tools it calls, ask again, until it is done or the steps
 * are spent. Knows neither HTTP nor storage. Throws a `ModelError` when no candidate accepts, and
 * the signal's reason when it is aborted.
 */
export async function* runAgent(
  options: AgentRunOptions,
): AsyncGenerator<AgentEvent, AgentOutcome> {
  let messages = [...options.messages];
  let candidates = options.candidates;
  const { tools, leftOut, overheadBytes } = fitRunTools(options);
  for (let n = 1; n <= options.maxSteps; n++) {
    // A tool answers an abort with its output like any failure, so only looking ends the loop.
    options.signal.throwIfAborted();
    const question = options.messages.length - 1;
    const { dropped, truncated, ...told } = fitStep({
      contextWindow: options.contextWindow,
      messages,
      around: overheadBytes,
    }, question);
    if (dropped + truncated + leftOut.length > 0) {
      options.onTruncation?.({
        droppedMessages: dropped,
        truncatedResults: truncated,
        omittedTools: leftOut,
      });
    }
    const { inputTokens, inputBytes } = told;
    const grant = await options.authorizeStep({ inputTokens, inputBytes, candidates });
    if ("ended" in grant) return grant.ended;
    const step = await openStep(candidates, { ...options, ...grant, ...told, tools });
    // What the others' turns carried is nothing to whoever goes on.
    if (step.candidate !== candidates[0]) messages = stripProviderMetadata(messages);
    const { provider, model } = step.candidate;
    yield { type: "step", n, provider, model };
    const turn = yield* streamStep(step);
    if (turn.stopReason !== "tool_calls") return { finishReason: turn.stopReason };
    // Who has answered goes on; once something was said, alone: a text does not change hands.
    const others = candidates.filter((candidate) => candidate !== step.candidate);
    candidates = turn.text === "" ? [step.candidate, ...others] : [step.candidate];
    messages.push(toAssistantMessage(turn));
    for (const call of turn.toolCalls) {
      options.signal.throwIfAborted();
      messages.push(yield* executeToolCall(call, { ...options, tools }));
    }
  }
  const message = `the agent's ${options.maxSteps} steps are used up`;
  return { finishReason: "max_steps", error: { code: "budget_exceeded", message } };
}

/** The loop with a toolset, whose tools are asked for as the first thing of the run. */
export async function* runWithTools(
  toolset: Toolset,
  options: Omit<AgentRunOptions, "tools" | "executeTool">,
): AsyncGenerator<AgentEvent, AgentOutcome> {
  const tools = await toolset.listTools(options.signal);
  const executeTool: AgentRunOptions["executeTool"] = (...call) => toolset.execute(...call);
  return yield* runAgent({ ...options, tools, executeTool });
}
