import type {
  Model,
  ModelMessage,
  ModelRequest,
  ModelTool,
  ModelToolCall,
} from "../models/model.ts";
import { ModelError } from "../models/model.ts";
import type { FinishReason, StreamErrorCode } from "../wire/error_codes.ts";
import type { Vendor } from "../wire/vendors.ts";

/** A model that may answer, in the order to be asked. */
export interface Candidate {
  provider: Vendor;
  model: string;
  client: Model;
  /** What one step of it may write, by the agent's wish and the money set aside. */
  maxOutputTokens: number;
}

/** What the loop tells as it goes. `accepted` comes once, before anything else. */
export type AgentEvent =
  | { type: "accepted"; provider: Vendor; model: string }
  | { type: "text"; text: string }
  | { type: "tool_call"; name: string; args: unknown }
  | { type: "tool_result"; name: string; output: unknown }
  | { type: "usage"; provider: Vendor; model: string; inputTokens: number; outputTokens: number };

/** How a run ended; `error` says why, when it did not end by itself. */
export interface AgentOutcome {
  finishReason: FinishReason;
  error?: { code: StreamErrorCode; message: string };
}

export interface AgentRunOptions {
  /** At least one; the first is the agent's own choice, the others its fallback. */
  candidates: readonly Candidate[];
  system: string;
  messages: readonly ModelMessage[];
  tools: readonly ModelTool[];
  /** Carries out one call. A tool's failure is its output, never an exception. */
  executeTool: (name: string, args: unknown, signal: AbortSignal) => Promise<unknown>;
  maxSteps: number;
  temperature?: number;
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
  const messages = [...options.messages];
  let candidates = options.candidates;
  for (let step = 1; step <= options.maxSteps; step++) {
    // A tool answers an abort with its output like any failure, so nothing else ends the loop here.
    options.signal.throwIfAborted();
    const opened = await openStep(candidates, { ...options, messages });
    // Whoever answered the first step answers the rest: a conversation does not change hands.
    if (step === 1) {
      const { provider, model } = opened.candidate;
      yield { type: "accepted", provider, model };
      candidates = [opened.candidate];
    }
    const turn = yield* streamStep(opened);
    if (turn.reason !== "tool_calls") return { finishReason: turn.reason };
    messages.push({ role: "assistant", content: turn.text, toolCalls: turn.calls });
    for (const call of turn.calls) messages.push(yield* carryOut(call, options));
  }
  const message = `the agent's ${options.maxSteps} steps are used up`;
  return { finishReason: "max_steps", error: { code: "budget_exceeded", message } };
}

type OpenedStep = {
  candidate: Candidate;
  events: Awaited<ReturnType<Model["stream"]>>;
};

/** Asks the candidates in turn until one accepts; the last refusal is thrown. */
async function openStep(
  candidates: readonly Candidate[],
  options: AgentRunOptions,
): Promise<OpenedStep> {
  let refusal: unknown = new ModelError("provider_error", "no model is configured");
  for (const candidate of candidates) {
    const request: ModelRequest = {
      model: candidate.model,
      system: options.system,
      messages: options.messages,
      tools: options.tools,
      maxOutputTokens: candidate.maxOutputTokens,
      signal: options.signal,
      ...(options.temperature === undefined ? {} : { temperature: options.temperature }),
    };
    try {
      return { candidate, events: await candidate.client.stream(request) };
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      refusal = error;
    }
  }
  throw refusal;
}

/** Passes one step on as it streams; answers what it said and what it wants called. */
async function* streamStep({ candidate, events }: OpenedStep) {
  const calls: ModelToolCall[] = [];
  let text = "";
  let reason: "stop" | "length" | "content_filter" | "tool_calls" = "stop";
  for await (const event of events) {
    switch (event.type) {
      case "text":
        text += event.text;
        yield { type: "text", text: event.text } satisfies AgentEvent;
        break;
      case "tool_call":
        calls.push(event.call);
        break;
      case "usage": {
        const { provider, model } = candidate;
        yield { ...event, provider, model } satisfies AgentEvent;
        break;
      }
      case "end":
        reason = event.reason;
        break;
      default:
        event satisfies never;
    }
  }
  return { text, calls, reason };
}

/** Carries out one call, told before and after; arguments that are not JSON never reach a tool. */
async function* carryOut(call: ModelToolCall, options: AgentRunOptions) {
  const args = parseArguments(call.args);
  const known = options.tools.some((tool) => tool.name === call.name);
  yield { type: "tool_call", name: call.name, args: args ?? call.args } satisfies AgentEvent;
  const output = !known
    ? toolError("tool_unknown", `there is no tool named ${call.name}`)
    : args === undefined
    ? toolError("tool_invalid_arguments", "the arguments are not a JSON object")
    : await options.executeTool(call.name, args, options.signal);
  yield { type: "tool_result", name: call.name, output } satisfies AgentEvent;
  return { role: "tool", callId: call.id, name: call.name, output } satisfies ModelMessage;
}

function parseArguments(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text === "" ? "{}" : text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? value as Record<string, unknown> : undefined;
  } catch {
    return undefined;
  }
}

/** A tool's failure as its output: the model sees it, and the run goes on. */
export function toolError(code: string, message: string) {
  return { error: { code, message } };
}
