import { type Model, ModelError, type ModelRequest } from "../providers/model.ts";
import { stripProviderMetadata } from "./message_history.ts";
import type { AgentRunOptions, Candidate } from "./run_agent.ts";

/** Who has a fallback is not waited for longer: enough for a busy moment. */
const MAX_WAIT_WITH_FALLBACK_MS = 1_000;

/** A step that a model has accepted and now answers. */
export interface OpenedStep {
  candidate: Candidate;
  events: Awaited<ReturnType<Model["stream"]>>;
  /** Tokens that it may write. */
  maxOutputTokens: number;
}

type PassedOptions =
  | "system"
  | "messages"
  | "tools"
  | "temperature"
  | "deadline"
  | "signal"
  | "onAttempt"
  | "authorizeStep"
  | "onUsage";

type StepOptions = Pick<AgentRunOptions, PassedOptions> & {
  inputTokens: number;
  inputBytes: number;
  outputTokens: (candidate: Candidate) => number;
};

/**
 * Asks the candidates that can be paid in turn until one accepts; the last refusal is thrown. What an
 * attempt that came to nothing was billed is no longer there for the next: it is granted anew.
 */
export async function openStep(
  candidates: readonly Candidate[],
  options: StepOptions,
): Promise<OpenedStep> {
  let refusal: unknown;
  let grant = options.outputTokens;
  let isBilled = false;
  const grantAnew = async (rest: readonly Candidate[]) => {
    const { inputTokens, inputBytes } = options;
    const granted = await options.authorizeStep({ inputTokens, inputBytes, candidates: rest });
    grant = "ended" in granted ? () => 0 : granted.outputTokens;
    isBilled = false;
  };
  for (const [n, candidate] of candidates.entries()) {
    const rest = candidates.slice(n);
    if (isBilled) await grantAnew(rest);
    if (grant(candidate) === 0) continue;
    options.onAttempt?.(candidate);
    const request = toModelRequest(candidate, { ...options, outputTokens: grant });
    if (n > 0) request.messages = stripProviderMetadata(request.messages);
    if (rest.slice(1).some((other) => grant(other) > 0)) {
      request.maxRetryWaitMs = MAX_WAIT_WITH_FALLBACK_MS;
    }
    request.onUsage = (usage) => {
      isBilled = true;
      options.onUsage?.(candidate, usage);
    };
    request.authorizeRetry = async () => {
      await grantAnew(rest);
      // What no longer pays this one may well pay the next.
      isBilled = grant(candidate) === 0;
      return grant(candidate);
    };
    try {
      const events = await candidate.client.stream(request);
      return { candidate, events, maxOutputTokens: grant(candidate) };
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      refusal = error;
    }
    options.signal.throwIfAborted();
  }
  throw refusal ?? new ModelError("provider_error", "no model is configured");
}

function toModelRequest(candidate: Candidate, options: StepOptions): ModelRequest {
  const { system, messages, tools, temperature, deadline, signal } = options;
  return {
    model: candidate.model,
    system,
    messages,
    tools,
    maxOutputTokens: options.outputTokens(candidate),
    maxInputTokens: options.inputTokens,
    signal,
    ...(temperature === undefined ? {} : { temperature }),
    ...(deadline === undefined ? {} : { deadline }),
  };
}
