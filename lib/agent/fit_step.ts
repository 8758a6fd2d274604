import { Buffer } from "node:buffer";
import { toolOutputText } from "../providers/message_parts.ts";
import type { JsonSchema, ModelMessage, ModelTool } from "../providers/model.ts";
import {
  type ContextWindow,
  imageBytes,
  maxInputTokens,
  maxPromptBytes,
  messageBytes,
  metadataBytes,
  promptBytes,
} from "./context_window.ts";

/** Minimum bytes shown of each tool result. */
const MIN_RESULT_BYTES = 200;
/** The share of the room that is dropped at once to keep the rest of a prompt cached for longer. */
const DROPPED_SHARE = 1 / 4;

export interface FittedMessages {
  messages: readonly ModelMessage[];
  /** Number of oldest messages removed. */
  dropped: number;
  /** Number of tool results that were shortened. */
  truncated: number;
}

/**
 * Drops the oldest messages until the rest fits into `bytes` and begins with a user message, as
 * providers require. The message at index `question` and all later ones stay; if they alone are too
 * large, the longest tool results are truncated and marked as such. With `keepsHead` the first message
 * that stays is the same for several longer versions of the conversation.
 */
export function fitMessages(
  messages: readonly ModelMessage[],
  { bytes, question, keepsHead = false }: {
    bytes: number;
    question: number;
    keepsHead?: boolean | undefined;
  },
): FittedMessages {
  const sizes = messages.map(contentBytes);
  const required = sizes.slice(question).reduce((sum, size) => sum + size, 0);
  let first = question;
  for (let left = bytes - required; first > 0; first--) {
    left -= sizes[first - 1]!;
    if (left < 0) break;
  }
  if (keepsHead) first = steadyStart(sizes, { first, question, block: bytes * DROPPED_SHARE });
  while (first < question && messages[first]!.role !== "user") first++;
  if (required <= bytes) return { messages: messages.slice(first), dropped: first, truncated: 0 };
  const recent = messages.slice(question);
  const results = sizes.slice(question).filter((_, n) => recent[n]!.role === "tool");
  const available = bytes - required + results.reduce((sum, size) => sum + size, 0);
  const maxBytes = Math.max(MIN_RESULT_BYTES, fairShare(available, results));
  const fitted = recent.map((message) => truncateResult(message, maxBytes));
  const truncated = fitted.filter((message, n) => message !== recent[n]).length;
  return { messages: fitted, dropped: question, truncated };
}

/** Rounds up what is dropped before `first` to whole blocks, counted from the first message of all. */
function steadyStart(
  sizes: readonly number[],
  { first, question, block }: { first: number; question: number; block: number },
): number {
  let dropped = sizes.slice(0, first).reduce((sum, size) => sum + size, 0);
  const target = Math.ceil(dropped / block) * block;
  let start = first;
  while (start < question && dropped < target) dropped += sizes[start++]!;
  return start;
}

function contentBytes(message: ModelMessage): number {
  if (message.role === "tool") return Buffer.byteLength(toolOutputText(message.output));
  if (message.role === "user") return Buffer.byteLength(message.content) + imageBytes(message);
  const { content, toolCalls = [], providerMetadata } = message;
  const calls = toolCalls.reduce(
    (sum, call) =>
      sum + Buffer.byteLength(call.name + call.args) + metadataBytes(call.providerMetadata),
    0,
  );
  return Buffer.byteLength(content) + calls + metadataBytes(providerMetadata);
}

/** The limit per item at which all fit; long items share the bytes that short ones do not use. */
function fairShare(available: number, sizes: readonly number[]): number {
  let left = available;
  let sharing = sizes.length;
  for (const size of sizes.toSorted((a, b) => a - b)) {
    if (size * sharing > left) return Math.floor(left / sharing);
    left -= size;
    sharing--;
  }
  return Infinity;
}

function truncateResult(message: ModelMessage, maxBytes: number): ModelMessage {
  if (message.role !== "tool") return message;
  const text = toolOutputText(message.output);
  const total = Buffer.byteLength(text);
  if (total <= maxBytes) return message;
  const notice = (shown: number) =>
    `\n[cut: the first ${shown} of ${total} bytes; the rest does not fit into the model's context]`;
  const bytes = new Uint8Array(Math.max(0, maxBytes - notice(total).length));
  // Unlike a slice of bytes, this never splits a character.
  const { read, written } = new TextEncoder().encodeInto(text, bytes);
  return { ...message, output: text.slice(0, read) + notice(written) };
}

/** Content that was left out because it exceeds the context window. */
export interface Truncation {
  /** Messages dropped during the run, in addition to those dropped before it. */
  droppedMessages: number;
  truncatedResults: number;
  omittedTools: readonly string[];
}

/** The tools that fit, and the bytes that they and the system prompt add to each step. */
export interface FittedTools {
  tools: readonly ModelTool[];
  omitted: readonly string[];
  overheadBytes: number;
}

/**
 * Selects the tools of a run that fit next to the system prompt and the last message, because MCP
 * servers may list more than any context can hold. Without a context window, all fit.
 */
export function fitTools({ system, messages, tools, contextWindow, responseSchema }: {
  system: string;
  responseSchema?: JsonSchema | undefined;
  messages: readonly ModelMessage[];
  tools: readonly ModelTool[];
  contextWindow?: ContextWindow | undefined;
}): FittedTools {
  const bytesWith = (some: readonly ModelTool[]) =>
    promptBytes({ system, tools: some, responseSchema });
  const overheadBytes = bytesWith(tools);
  const available = contextWindow === undefined
    ? Infinity
    : maxPromptBytes(contextWindow) - messageBytes(messages.slice(-1));
  if (overheadBytes <= available) return { tools, omitted: [], overheadBytes };
  const fitting: ModelTool[] = [];
  const omitted: string[] = [];
  let left = available - bytesWith([]);
  for (const tool of tools) {
    const size = Buffer.byteLength(JSON.stringify(tool));
    if (size > left) {
      omitted.push(tool.name);
      continue;
    }
    left -= size;
    fitting.push(tool);
  }
  return { tools: fitting, omitted, overheadBytes: bytesWith(fitting) };
}

/** The messages of a step, the size of its whole prompt, and an upper bound of its input tokens. */
export interface FittedStep extends FittedMessages {
  inputBytes: number;
  inputTokens: number;
}

/** Attempts to meet a number of tokens: JSON is longer than the content that is cut. */
const MAX_SHRINKS = 4;

/**
 * Fits `messages` into a number of input tokens, by the rules of `fitMessages`; `undefined` if what must
 * stay is too long.
 */
export function shrinkStep(
  messages: readonly ModelMessage[],
  { tokens, overheadBytes, question }: { tokens: number; overheadBytes: number; question: number },
): FittedStep | undefined {
  const available = tokens - overheadBytes;
  let bytes = available;
  for (let tries = 0; tries < MAX_SHRINKS && bytes > 0; tries++) {
    const step = measureStep(fitMessages(messages, { bytes, question }), overheadBytes);
    if (step.inputTokens <= tokens) return step;
    bytes = Math.floor(bytes * available / (step.inputTokens - overheadBytes));
  }
  return undefined;
}

function measureStep(fitted: FittedMessages, overheadBytes: number): FittedStep {
  const inputBytes = overheadBytes + messageBytes(fitted.messages);
  return { ...fitted, inputBytes, inputTokens: maxInputTokens(inputBytes, fitted.messages) };
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
  const { keepsHead } = contextWindow;
  return measureStep(fitMessages(messages, { bytes, question, keepsHead }), overheadBytes);
}
