import { Buffer } from "node:buffer";
import type { ModelMessage, ModelTool } from "../providers/model.ts";
import { type ContextWindow, maxPromptBytes } from "./context_window.ts";
import { fitMessages, type FittedMessages } from "./fit_messages.ts";
import { maxInputTokens, messageBytes, promptBytes } from "./input_size.ts";

/**
 * The tools that fit into `bytes`, in their order, and the names of the others: what servers of
 * strangers list may be larger than any model's context.
 */
export function fitTools(
  tools: readonly ModelTool[],
  bytes: number,
): { tools: readonly ModelTool[]; leftOut: readonly string[] } {
  const fitting: ModelTool[] = [];
  const leftOut: string[] = [];
  let left = bytes;
  for (const tool of tools) {
    const size = Buffer.byteLength(JSON.stringify(tool));
    if (size > left) {
      leftOut.push(tool.name);
      continue;
    }
    left -= size;
    fitting.push(tool);
  }
  return { tools: fitting, leftOut };
}

interface MessagesInWindow {
  messages: readonly ModelMessage[];
  /** Of the smallest model that may answer; unset, everything fits. */
  contextWindow?: ContextWindow | undefined;
}

/** What a run asks its models. */
interface RunPrompt extends MessagesInWindow {
  system: string;
  tools: readonly ModelTool[];
}

/** What had to be left out for a run's models to take it at all. */
export interface Truncation {
  /** Turns of the conversation, beside those that were dropped before the run began. */
  droppedMessages: number;
  /** Results of tools that were not shown whole. */
  truncatedResults: number;
  /** Names of tools that the models were not told of. */
  omittedTools: readonly string[];
}

/** The tools of a run, and how much of each step they and its system prompt take. */
interface FittedTools extends ReturnType<typeof fitTools> {
  overheadBytes: number;
}

/** The tools of a run: those that fit beside the prompt and what it is asked. */
export function fitRunTools({ system, messages, tools, contextWindow }: RunPrompt): FittedTools {
  const around = promptBytes({ system, tools });
  const asked = messageBytes(messages.slice(-1));
  if (
    contextWindow === undefined || tools.length === 0 ||
    around + asked <= maxPromptBytes(contextWindow)
  ) {
    return { tools, leftOut: [], overheadBytes: around };
  }
  const fitted = fitTools(
    tools,
    maxPromptBytes(contextWindow) - promptBytes({ system, tools: [] }) - asked,
  );
  return { ...fitted, overheadBytes: promptBytes({ system, tools: fitted.tools }) };
}

/** What a step is told, how long that is, and how many tokens nobody reads more than for it. */
export interface FittedStep extends FittedMessages {
  inputBytes: number;
  inputTokens: number;
}

/**
 * What one step is told: `messages` as far as they fit beside the `around` bytes of prompt and tools. The
 * one at `question` stays, and all after it.
 */
export function fitStep(
  { messages, contextWindow, around }: MessagesInWindow & { around: number },
  question: number,
): FittedStep {
  const bytes = around + messageBytes(messages);
  // JSON is longer than what it holds: where it fits, nothing needs to be measured.
  if (contextWindow === undefined || bytes <= maxPromptBytes(contextWindow)) {
    const inputTokens = maxInputTokens(bytes, messages);
    return { messages, inputBytes: bytes, inputTokens, dropped: 0, truncated: 0 };
  }
  const fitted = fitMessages(messages, { bytes: maxPromptBytes(contextWindow) - around, question });
  const left = around + messageBytes(fitted.messages);
  return { ...fitted, inputBytes: left, inputTokens: maxInputTokens(left, fitted.messages) };
}
