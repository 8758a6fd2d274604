import { Buffer } from "node:buffer";
import type { ModelMessage, ModelTool } from "../providers/model.ts";
import {
  type ContextWindow,
  maxInputTokens,
  maxPromptBytes,
  messageBytes,
  promptBytes,
} from "./context_window.ts";
import { fitMessages, type FittedMessages } from "./fit_messages.ts";

/** Content that was left out because it exceeds the context window. */
export interface Truncation {
  /** Messages dropped during the run, in addition to those dropped before it. */
  droppedMessages: number;
  /** Shortened tool results. */
  truncatedResults: number;
  /** Names of the tools that were not offered to the models. */
  omittedTools: readonly string[];
}

/** The tools that fit, and the bytes that they and the system prompt add to each step. */
interface FittedTools {
  tools: readonly ModelTool[];
  omitted: readonly string[];
  overheadBytes: number;
}

/**
 * Selects the tools of a run that fit next to the system prompt and the last message, because MCP
 * servers may list more than any context can hold. Without a context window, all fit.
 */
export function fitTools(
  { system, messages, tools, contextWindow }: {
    system: string;
    messages: readonly ModelMessage[];
    tools: readonly ModelTool[];
    contextWindow?: ContextWindow | undefined;
  },
): FittedTools {
  const overheadBytes = promptBytes({ system, tools });
  const available = contextWindow === undefined
    ? Infinity
    : maxPromptBytes(contextWindow) - messageBytes(messages.slice(-1));
  if (overheadBytes <= available) return { tools, omitted: [], overheadBytes };
  const fitting: ModelTool[] = [];
  const omitted: string[] = [];
  let left = available - promptBytes({ system, tools: [] });
  for (const tool of tools) {
    const size = Buffer.byteLength(JSON.stringify(tool));
    if (size > left) {
      omitted.push(tool.name);
      continue;
    }
    left -= size;
    fitting.push(tool);
  }
  return { tools: fitting, omitted, overheadBytes: promptBytes({ system, tools: fitting }) };
}

/** The messages of a step, the size of its whole prompt, and an upper bound of its input tokens. */
export interface FittedStep extends FittedMessages {
  inputBytes: number;
  inputTokens: number;
}

/**
 * Fits `messages` next to the `overheadBytes` of system prompt and tools. The message at index
 * `question` and all later ones stay. Without a context window, all fit.
 */
export function fitStep(
  messages: readonly ModelMessage[],
  { contextWindow, overheadBytes, question }: {
    contextWindow?: ContextWindow | undefined;
    overheadBytes: number;
    question: number;
  },
): FittedStep {
  const inputBytes = overheadBytes + messageBytes(messages);
  // JSON is longer than its content, so messages that fit as JSON need no exact measurement.
  if (contextWindow === undefined || inputBytes <= maxPromptBytes(contextWindow)) {
    const inputTokens = maxInputTokens(inputBytes, messages);
    return { messages, inputBytes, inputTokens, dropped: 0, truncated: 0 };
  }
  const bytes = maxPromptBytes(contextWindow) - overheadBytes;
  const fitted = fitMessages(messages, { bytes, question });
  const fittedBytes = overheadBytes + messageBytes(fitted.messages);
  const inputTokens = maxInputTokens(fittedBytes, fitted.messages);
  return { ...fitted, inputBytes: fittedBytes, inputTokens };
}
