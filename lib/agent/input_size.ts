import { Buffer } from "node:buffer";
import type { ModelMessage, ModelTool } from "../providers/model.ts";

/**
 * Bytes of what all steps of a run are told. With those of the messages they are more than a model can
 * read tokens: no token is shorter than a byte.
 */
export function promptBytes(
  { system, tools }: { system: string; tools: readonly ModelTool[] },
): number {
  return Buffer.byteLength(system) + Buffer.byteLength(JSON.stringify(tools));
}

/**
 * Bytes of messages: the JSON around each is longer than the few tokens that a vendor puts there. What a
 * turn carries for its vendor counts, as it is sent and read.
 */
export function messageBytes(messages: readonly ModelMessage[]): number {
  return Buffer.byteLength(JSON.stringify(messages));
}

/**
 * More tokens than a model can read for what is `bytes` long. What it thought in a turn was written
 * under that turn's limit, however long the signatures are that go back with it.
 */
export function maxInputTokens(bytes: number, messages: readonly ModelMessage[]): number {
  return messages.reduce((bound, message) => bound - surplusMetadataBytes(message), bytes);
}

function surplusMetadataBytes(message: ModelMessage): number {
  if (message.role !== "assistant") return 0;
  const { providerMetadata, maxOutputTokens = Infinity } = message;
  return Math.max(0, metadataBytes(providerMetadata) - maxOutputTokens);
}

/** Bytes of what a turn or a call carries for its vendor. */
export function metadataBytes(opaque: unknown): number {
  return opaque === undefined ? 0 : Buffer.byteLength(JSON.stringify(opaque));
}
