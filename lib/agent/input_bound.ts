import type { ModelMessage, ModelTool } from "../models/model.ts";

const encoder = new TextEncoder();

/**
 * More tokens than a model can read for this: no token is shorter than a byte, and the JSON around a
 * message is longer than the few tokens a vendor puts there.
 */
export function inputBound(
  { system, messages, tools }: {
    system: string;
    messages: readonly ModelMessage[];
    tools: readonly ModelTool[];
  },
): number {
  return byteLength(system) + byteLength(JSON.stringify(messages)) +
    byteLength(JSON.stringify(tools));
}

function byteLength(text: string): number {
  return encoder.encode(text).length;
}
