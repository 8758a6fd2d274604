import {
  type AssistantMessage,
  ModelError,
  type ModelRequest,
  type ModelStream,
  type ModelToolCall,
  type StopReason,
} from "../providers/model.ts";
import type { AgentEvent, AgentRunOptions, Candidate, StepSettings } from "./agent_run_options.ts";
import { sanitizeToolCall, stripProviderMetadata } from "./sanitize_messages.ts";

/** Limit for a retry while a fallback is available: enough for a short overload. */
const MAX_WAIT_WITH_FALLBACK_MS = 1_000;

export interface OpenedStep {
  candidate: Candidate;
  stream: ModelStream;
  maxOutputTokens: number;
}

type StepOptions =
  & Pick<
    AgentRunOptions,
    "system" | "messages" | "images" | "tools" | "deadline" | "signal"
  >
  & StepSettings
  & Pick<AgentRunOptions, "onAttempt" | "authorizeStep" | "onUsage">
  & Pick<ModelRequest, "toolChoice">
  & { inputTokens: number; inputBytes: number; outputTokens: (candidate: Candidate) => number };

/**
 * Tries the affordable candidates in order until one accepts; throws the last `ModelError` if none
 * does. A failed attempt may be billed, so the next one is authorized again.
 */
export async function openStep(
  candidates: readonly Candidate[],
  options: StepOptions,
): Promise<OpenedStep> {
  let lastError: unknown;
  let { outputTokens } = options;
  let isBilled = false;
  const reauthorize = async (remaining: readonly Candidate[]) => {
    const { inputTokens, inputBytes, authorizeStep } = options;
    const grant = await authorizeStep({ inputTokens, inputBytes, candidates: remaining });
    outputTokens = "ended" in grant ? () => 0 : grant.outputTokens;
    isBilled = false;
  };
  for (const [n, candidate] of candidates.entries()) {
    const remaining = candidates.slice(n);
    if (isBilled) await reauthorize(remaining);
    if (outputTokens(candidate) === 0) continue;
    options.onAttempt?.(candidate);
    const request = toModelRequest(candidate, { ...options, outputTokens });
    if (n > 0) request.messages = stripProviderMetadata(request.messages);
    if (remaining.slice(1).some((other) => outputTokens(other) > 0)) {
      request.maxRetryWaitMs = MAX_WAIT_WITH_FALLBACK_MS;
    }
    request.onUsage = (usage) => {
      isBilled = true;
      options.onUsage?.(candidate, usage);
    };
    request.authorizeRetry = async () => {
      await reauthorize(remaining);
      // A budget that does not cover this candidate may still cover the next.
      isBilled = outputTokens(candidate) === 0;
      return outputTokens(candidate);
    };
    try {
      const stream = await candidate.client.stream(request);
      return { candidate, stream, maxOutputTokens: outputTokens(candidate) };
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      lastError = error;
    }
    options.signal.throwIfAborted();
  }
  throw lastError ?? new ModelError("provider_error", "no model is configured");
}

function toModelRequest(candidate: Candidate, options: StepOptions): ModelRequest {
  const { system, messages, images, tools, toolChoice, deadline, signal } = options;
  const { cachesPrompt, responseMs } = candidate;
  return {
    model: candidate.model,
    system,
    messages,
    tools,
    maxOutputTokens: options.outputTokens(candidate),
    maxInputTokens: options.inputTokens,
    signal,
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(images === undefined ? {} : { images }),
    ...(deadline === undefined ? {} : { deadline }),
    ...(cachesPrompt === undefined ? {} : { cachesPrompt }),
    ...(responseMs === undefined ? {} : { responseMs }),
    ...givenSettings(options),
  };
}

const SETTINGS = [
  "temperature",
  "topP",
  "stopSequences",
  "reasoningEffort",
  "responseSchema",
  "affinity",
] as const satisfies readonly (keyof StepSettings)[];

function givenSettings(options: StepSettings): StepSettings {
  const given = SETTINGS.filter((name) => options[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, options[name]]));
}

export interface StepResult {
  stopReason: StopReason;
  toolCalls: readonly ModelToolCall[];
  /** The turn as the next step sends it back. */
  message: AssistantMessage;
}

/** Forwards the events of a step. A stream that breaks reports its usage before it throws. */
export async function streamStep(
  { candidate: { provider, model }, stream, maxOutputTokens }: OpenedStep,
  onEvent: (event: AgentEvent) => void,
): Promise<StepResult> {
  const toolCalls: ModelToolCall[] = [];
  let stopReason: StopReason = "stop";
  let content = "";
  let metadata: Pick<AssistantMessage, "providerMetadata" | "maxOutputTokens"> = {};
  await stream.read((event) => {
    switch (event.type) {
      case "text":
        content += event.text;
        onEvent({ type: "text", text: event.text });
        break;
      case "tool_call":
        toolCalls.push(event.call);
        break;
      case "usage":
        onEvent({ ...event, provider, model });
        break;
      case "end": {
        const { reason, providerMetadata, reasoning } = event;
        stopReason = reason;
        if (reasoning !== undefined) onEvent({ type: "reasoning", text: reasoning });
        if (providerMetadata !== undefined) metadata = { providerMetadata, maxOutputTokens };
        break;
      }
      default:
        event satisfies never;
    }
  });
  const sanitized = toolCalls.map(sanitizeToolCall);
  const message = { role: "assistant" as const, content, toolCalls: sanitized, ...metadata };
  return { stopReason, toolCalls, message };
}
