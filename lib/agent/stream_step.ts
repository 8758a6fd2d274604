import type { ModelToolCall } from "../providers/model.ts";
import type { OpenedStep } from "./open_step.ts";
import type { AgentEvent } from "./run_agent.ts";

/** What a step came to. */
export interface StepResult {
  text: string;
  toolCalls: ModelToolCall[];
  stopReason: "stop" | "length" | "content_filter" | "tool_calls";
  /** What its vendor wants back with it. */
  providerMetadata?: unknown;
  /** Tokens that it was allowed to have. */
  maxOutputTokens: number;
}

/**
 * Passes one step on as it streams; answers what it said and what it wants called. A stream that
 * breaks still tells its usage before it throws.
 */
export async function* streamStep(
  { candidate, events, maxOutputTokens }: OpenedStep,
): AsyncGenerator<AgentEvent, StepResult> {
  const turn: StepResult = { text: "", toolCalls: [], stopReason: "stop", maxOutputTokens };
  for await (const event of events) {
    switch (event.type) {
      case "text":
        turn.text += event.text;
        yield { type: "text", text: event.text };
        break;
      case "tool_call":
        turn.toolCalls.push(event.call);
        break;
      case "usage": {
        const { inputTokens, outputTokens } = event;
        const { provider, model } = candidate;
        yield { type: "usage", provider, model, inputTokens, outputTokens };
        break;
      }
      case "end":
        turn.stopReason = event.reason;
        turn.providerMetadata = event.providerMetadata;
        break;
      default:
        event satisfies never;
    }
  }
  return turn;
}
