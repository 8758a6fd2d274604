import { Buffer } from "node:buffer";
import type { ModelMessage, ModelTool } from "../models/model.ts";

/** What a model is shown. */
interface Shown {
  system: string;
  messages: readonly ModelMessage[];
  tools: readonly ModelTool[];
}

/**
 * Bytes of all that is sent: more than a model can read tokens, as no token is shorter than a byte, and
 * the JSON around a message is longer than the few tokens a vendor puts there. What a turn carries for
 * its vendor counts: it is sent, and read.
 */
export function inputBytes({ system, messages, tools }: Shown): number {
  return Buffer.byteLength(system) + Buffer.byteLength(JSON.stringify(messages)) +
    Buffer.byteLength(JSON.stringify(tools));
}

/**
 * More tokens than a model can read for what is `bytes` long. What it thought in a turn was written
 * under that turn's limit, however long the signatures are that go back with it.
 */
export function inputBound(bytes: number, messages: readonly ModelMessage[]): number {
  return messages.reduce((bound, message) => bound - surplusOf(message), bytes);
}

function surplusOf(message: ModelMessage): number {
  if (message.role !== "assistant") return 0;
  const { opaque, grantedTokens = Infinity } = message;
  return Math.max(0, opaqueBytes(opaque) - grantedTokens);
}

/** Bytes of what a turn or a call carries for its vendor. */
export function opaqueBytes(opaque: unknown): number {
  return opaque === undefined ? 0 : Buffer.byteLength(JSON.stringify(opaque));
}
