import type { AssistantMessage, ModelMessage, ModelToolCall } from "../providers/model.ts";
import { isTooDeep } from "../schemas/json_depth.ts";
import type { StepResult } from "./stream_step.ts";

/**
 * The arguments of a call; `undefined` for what is no JSON object, or one so deep that whoever reads it
 * by recursion overflows the stack: a frame with it would be stored and never be read again.
 */
export function parseToolArguments({ args }: ModelToolCall): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(args === "" ? "{}" : args);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject && !isTooDeep(value) ? value as Record<string, unknown> : undefined;
  } catch {
    return undefined;
  }
}

const MAX_NAME_LENGTH = 64;

/** A turn whose calls are carried out, as its model is told of it in the next step. */
export function toAssistantMessage(
  { text, toolCalls: calls, providerMetadata, maxOutputTokens }: StepResult,
): AssistantMessage {
  const kept = providerMetadata === undefined ? {} : { providerMetadata, maxOutputTokens };
  return { role: "assistant", content: text, toolCalls: calls.map(sanitizeToolCall), ...kept };
}

/**
 * A call as its model is told of it in the next step. Models call what does not exist, and vendors
 * refuse a whole conversation for a name they would accept of no tool; of arguments that no tool is
 * given nothing is told.
 */
export function sanitizeToolCall(call: ModelToolCall): ModelToolCall {
  const args = parseToolArguments(call) === undefined ? "{}" : call.args;
  return { ...call, args, name: sanitizeToolName(call.name) };
}

/** A name with what vendors accept in names; one of a tool stays as it is. */
export function sanitizeToolName(name: string): string {
  const safe = name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, MAX_NAME_LENGTH);
  return /^[a-zA-Z_]/.test(safe) ? safe : `_${safe}`.slice(0, MAX_NAME_LENGTH);
}

/**
 * Messages for a model of another vendor: what turns and calls carry for the one that made them is left
 * out.
 */
export function stripProviderMetadata(messages: readonly ModelMessage[]): ModelMessage[] {
  return messages.map((message) => {
    if (message.role !== "assistant" || message.toolCalls === undefined) return message;
    const { providerMetadata: _, maxOutputTokens: _tokens, ...turn } = message;
    const toolCalls = message.toolCalls.map(({ providerMetadata: _, ...call }) => call);
    return { ...turn, toolCalls, fromOtherModel: true };
  });
}
