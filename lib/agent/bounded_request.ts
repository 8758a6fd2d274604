import { ModelError, type ModelRequest, type ModelUsage } from "../providers/model.ts";
import { type Runtime, setTimer } from "../platform/runtime.ts";
import type { AgentOutcome, Candidate, PlannedStep, StepGrant } from "./agent_run_options.ts";
import { maxInputTokens, messageBytes, promptBytes } from "./context_window.ts";

export interface BoundedRequestOptions {
  candidate: Candidate;
  /** A model that takes longer is unavailable, milliseconds. */
  maxMs: number;
  responseSchema?: NonNullable<ModelRequest["responseSchema"]>;
  /** Reserves what the request can cost; an outcome says that there is no money for it. */
  authorize: (step: PlannedStep) => Promise<StepGrant>;
  onUsage: (candidate: Candidate, usage: ModelUsage) => void;
  runtime: Pick<Runtime, "sleep">;
  signal: AbortSignal;
}

/** A question to a model beside the steps of a run, with the most that it can read. */
export function sideQuestion({ system, data }: { system: string; data: unknown }) {
  const messages = [{ role: "user" as const, content: JSON.stringify(data) }];
  const inputBytes = promptBytes({ system, tools: [] }) + messageBytes(messages);
  return { system, messages, inputBytes, inputTokens: maxInputTokens(inputBytes, messages) };
}

/**
 * Asks a model once. Throws only the reason of `signal`. Every attempt is reserved before and counted
 * after, and a billed attempt is not repeated.
 */
export async function boundedRequest(
  { system, messages, inputBytes, inputTokens }: ReturnType<typeof sideQuestion>,
  options: BoundedRequestOptions,
): Promise<{ text: string } | "unavailable" | { ended: AgentOutcome }> {
  const { candidate, maxMs, responseSchema, authorize, onUsage, runtime, signal } = options;
  const grant = await authorize({ inputTokens, inputBytes, candidates: [candidate] });
  if ("ended" in grant) return grant;
  signal.throwIfAborted();
  const timeout = new AbortController();
  const cancelTimer = setTimer(runtime, maxMs, () => timeout.abort());
  let text = "";
  try {
    const stream = await candidate.client.stream({
      ...{ model: candidate.model, system, messages, tools: [], temperature: 0 },
      ...responseSchema && { responseSchema },
      maxOutputTokens: grant.outputTokens(candidate),
      maxInputTokens: inputTokens,
      maxRetryWaitMs: maxMs,
      signal: AbortSignal.any([signal, timeout.signal]),
      onUsage: (usage) => onUsage(candidate, usage),
      authorizeRetry: () => Promise.resolve(0),
    });
    await stream.read((event) => {
      if (event.type === "text") text += event.text;
      if (event.type === "usage") onUsage(candidate, event);
    });
    return { text };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ModelError) && !timeout.signal.aborted) throw error;
    return "unavailable";
  } finally {
    cancelTimer();
  }
}
