import { Buffer } from "node:buffer";
import type { JsonSchema, ModelMessage, ModelTool } from "../providers/model.ts";
import { schemaInstruction } from "../providers/schema_words.ts";

/** Minimum bytes per token for prose in any script; a low guess, so that prompts are cut too early. */
const BYTES_PER_TOKEN = 3;
/** What providers add to a request with a schema, in bytes; some write it into the prompt themselves. */
const SCHEMA_MARGIN_BYTES = 2_048;
/** Share of the context reserved for output; larger output limits give way to the prompt. */
const OUTPUT_SHARE = 1 / 4;

/** The number of tokens a model can process in one request. */
export interface ContextWindow {
  contextTokens: number;
  /** Output limit if the context has room for it. */
  maxOutputTokens: number;
  /** Old messages are dropped several at once, because a cached prompt is only found by its beginning. */
  keepsHead?: true;
}

/** Bytes of prompt, tools and messages that leave room for a useful answer. */
export function maxPromptBytes(window: ContextWindow): number {
  return (window.contextTokens - reservedOutputTokens(window)) * BYTES_PER_TOKEN;
}

/**
 * Output tokens that fit next to `promptBytes`, because strict servers reject a sum above the context.
 * Never below the reserved output, because the token count of the prompt is an estimate.
 */
export function remainingOutputTokens(window: ContextWindow, promptBytes: number): number {
  const remaining = window.contextTokens - Math.ceil(promptBytes / BYTES_PER_TOKEN);
  return Math.min(window.maxOutputTokens, Math.max(remaining, reservedOutputTokens(window)));
}

function reservedOutputTokens({ contextTokens, maxOutputTokens }: ContextWindow): number {
  return Math.max(1, Math.min(maxOutputTokens, Math.floor(contextTokens * OUTPUT_SHARE)));
}

/**
 * Bytes that every step of a run sends in addition to its messages. A schema counts as the words that
 * describe it to models without a field for it.
 */
export function promptBytes(
  { system, tools, responseSchema }: {
    system: string;
    tools: readonly ModelTool[];
    responseSchema?: JsonSchema | undefined;
  },
): number {
  const schema = responseSchema === undefined
    ? 0
    : Buffer.byteLength(schemaInstruction(responseSchema)) + SCHEMA_MARGIN_BYTES;
  return Buffer.byteLength(system) + jsonBytes(tools) + schema;
}

/**
 * Bytes of messages as JSON, which covers the few tokens that providers add to each message. An image
 * counts as much as text of its tokens, whatever its file's size.
 */
export function messageBytes(messages: readonly ModelMessage[]): number {
  return jsonBytes(messages) + imageTokens(messages) * BYTES_PER_TOKEN;
}

/** What the images of a message count as, in bytes of text. */
export function imageBytes(message: ModelMessage): number {
  return imageTokens([message]) * BYTES_PER_TOKEN;
}

function imageTokens(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => {
    if (message.role !== "user" || message.images === undefined) return sum;
    return message.images.reduce((all, { tokens }) => all + tokens, sum);
  }, 0);
}

/**
 * Upper bound of the input tokens for a request of `bytes`: no token is shorter than a byte. Provider
 * metadata counts at most as many tokens as its turn was allowed to write, however long its signatures,
 * and images count their own bound.
 */
export function maxInputTokens(bytes: number, messages: readonly ModelMessage[]): number {
  return messages.reduce((bound, message) => {
    if (message.role !== "assistant") return bound;
    const { providerMetadata, maxOutputTokens = Infinity } = message;
    return bound - Math.max(0, metadataBytes(providerMetadata) - maxOutputTokens);
  }, bytes - imageTokens(messages) * (BYTES_PER_TOKEN - 1));
}

/** Bytes of the metadata that a turn or a call returns to its provider. */
export function metadataBytes(providerMetadata: unknown): number {
  return providerMetadata === undefined ? 0 : jsonBytes(providerMetadata);
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
