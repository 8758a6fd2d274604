import { type Model, ModelError, type ModelRequest } from "../models/model.ts";
import { forAnother } from "./retelling.ts";
import type { AgentRunOptions, Candidate } from "./run_agent.ts";

/** Who has a fallback is not waited for longer: enough for a busy moment. */
const LONGEST_WAIT_MS = 1_000;

/** A step that a model has accepted and now answers. */
export interface OpenedStep {
  candidate: Candidate;
  events: Awaited<ReturnType<Model["stream"]>>;
}

type Passed = "system" | "messages" | "tools" | "temperature" | "deadline" | "signal" | "asking";

type StepOptions = Pick<AgentRunOptions, Passed> & {
  inputTokens: number;
  outputTokens: (candidate: Candidate) => number;
};

/** Asks the candidates that can be paid in turn until one accepts; the last refusal is thrown. */
export async function openStep(
  candidates: readonly Candidate[],
  options: StepOptions,
): Promise<OpenedStep> {
  let refusal: unknown;
  const payable = candidates.filter((candidate) => options.outputTokens(candidate) > 0);
  for (const candidate of payable) {
    options.asking?.(candidate);
    const request = requestOf(candidate, options);
    if (candidate !== candidates[0]) request.messages = forAnother(request.messages);
    if (candidate !== payable.at(-1)) request.longestWaitMs = LONGEST_WAIT_MS;
    try {
      const events = await candidate.client.stream(request);
      return { candidate, events };
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      refusal = error;
    }
    options.signal.throwIfAborted();
  }
  throw refusal ?? new ModelError("provider_error", "no model is configured");
}

function requestOf(candidate: Candidate, options: StepOptions): ModelRequest {
  const { system, messages, tools, temperature, deadline, signal } = options;
  return {
    model: candidate.model,
    system,
    messages,
    tools,
    maxOutputTokens: options.outputTokens(candidate),
    inputBound: options.inputTokens,
    signal,
    ...(temperature === undefined ? {} : { temperature }),
    ...(deadline === undefined ? {} : { deadline }),
  };
}
