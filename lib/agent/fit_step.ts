import type { ModelMessage, ModelTool } from "../models/model.ts";
import { type ContextRoom, roomBytes } from "./context_room.ts";
import { fitMessages, type FittedMessages } from "./fit_messages.ts";
import { fitTools } from "./fit_tools.ts";
import { inputBound, inputBytes } from "./input_bound.ts";

/** What a run asks its models. */
interface Prompt {
  system: string;
  messages: readonly ModelMessage[];
  tools: readonly ModelTool[];
  /** Of the smallest model that may answer; unset, everything fits. */
  room?: ContextRoom | undefined;
}

/** What had to be left out for a run's models to take it at all. */
export interface LeftOut {
  /** Turns of the conversation, beside those that were dropped before the run began. */
  dropped: number;
  /** Results of tools that were not shown whole. */
  cut: number;
  /** Names of tools that the models were not told of. */
  tools: readonly string[];
}

/** The tools of a run: those that fit beside the prompt and what it is asked. */
export function fitRunTools({ system, messages, tools, room }: Prompt) {
  if (room === undefined || tools.length === 0) return { tools, leftOut: [] };
  const asked = messages.slice(-1);
  if (inputBytes({ system, messages: asked, tools }) <= roomBytes(room)) {
    return { tools, leftOut: [] };
  }
  const around = inputBytes({ system, messages: asked, tools: [] });
  return fitTools(tools, roomBytes(room) - around);
}

/** What a step is told, how long that is, and how many tokens nobody reads more than for it. */
export interface FittedStep extends FittedMessages {
  inputBytes: number;
  inputTokens: number;
}

/**
 * What one step is told: `messages` as far as they fit, of which the one at `question` and all after it
 * stay.
 */
export function fitStep(
  { system, messages, tools, room }: Prompt,
  question: number,
): FittedStep {
  const bytes = inputBytes({ system, tools, messages });
  // JSON is longer than what it holds: where it fits, nothing needs to be measured.
  if (room === undefined || bytes <= roomBytes(room)) {
    const inputTokens = inputBound(bytes, messages);
    return { messages, inputBytes: bytes, inputTokens, dropped: 0, cut: 0 };
  }
  const around = inputBytes({ system, tools, messages: [] });
  const fitted = fitMessages(messages, { bytes: roomBytes(room) - around, question });
  const left = inputBytes({ system, tools, messages: fitted.messages });
  return { ...fitted, inputBytes: left, inputTokens: inputBound(left, fitted.messages) };
}
