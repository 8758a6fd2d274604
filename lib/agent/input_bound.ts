import { Buffer } from "node:buffer";
import type { ModelMessage, ModelTool } from "../models/model.ts";

/**
 * More tokens than a model can read for this: no token is shorter than a byte, and the JSON around a
 * message is longer than the few tokens a vendor puts there. What a turn carries for its vendor counts:
 * it is sent, and read.
 */
export function inputBound(
  { system, messages, tools }: {
    system: string;
    messages: readonly ModelMessage[];
    tools: readonly ModelTool[];
  },
): number {
  return Buffer.byteLength(system) + Buffer.byteLength(JSON.stringify(messages)) +
    Buffer.byteLength(JSON.stringify(tools));
}
