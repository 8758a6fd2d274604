import { isJsonObject, tryParseJson } from "../platform/json.ts";
import { isTooDeep } from "../schemas/json_depth.ts";
import type { ModelMessage, ModelToolCall } from "../providers/model.ts";

const MAX_NAME_LENGTH = 64;

/**
 * Parses the arguments of a call. Returns `undefined` unless they are a JSON object that recursive code
 * can walk: a deeper one could be stored in a frame but not read again.
 */
export function parseToolArguments({ args }: ModelToolCall): Record<string, unknown> | undefined {
  const value = tryParseJson(args === "" ? "{}" : args);
  return isJsonObject(value) && !isTooDeep(value) ? value : undefined;
}

/**
 * Replaces the parts of a call that providers reject in the next step's history: names that no tool
 * could have, and arguments that no tool was given.
 */
export function sanitizeToolCall(call: ModelToolCall): ModelToolCall {
  const args = parseToolArguments(call) === undefined ? "{}" : call.args;
  return { ...call, args, name: sanitizeToolName(call.name) };
}

/** Reduces a name to characters that all providers accept; names of existing tools stay as they are. */
export function sanitizeToolName(name: string): string {
  const safe = name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, MAX_NAME_LENGTH);
  return /^[a-zA-Z_]/.test(safe) ? safe : `_${safe}`.slice(0, MAX_NAME_LENGTH);
}

/** Removes the metadata that only the provider of a turn understands, before another model reads it. */
export function stripProviderMetadata(messages: readonly ModelMessage[]): ModelMessage[] {
  return messages.map((message) => {
    if (message.role !== "assistant" || message.toolCalls === undefined) return message;
    const { providerMetadata: _, maxOutputTokens: _tokens, ...turn } = message;
    const toolCalls = message.toolCalls.map(({ providerMetadata: _, ...call }) => call);
    return { ...turn, toolCalls, fromOtherModel: true };
  });
}
