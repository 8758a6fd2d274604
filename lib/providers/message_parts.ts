import type { ModelToolCall } from "./model.ts";
import { asObject, type JsonObject } from "./stream_json.ts";

/**
 * A past call's arguments for telling the model again what it called. Vendors refuse a conversation
 * whose calls hold no object; what the model wrote instead was refused to it as a tool result.
 */
export function parseCallArguments(call: ModelToolCall): JsonObject {
  try {
    return asObject(JSON.parse(call.args)) ?? {};
  } catch {
    return {};
  }
}

/** A tool's output as text. */
export function toolOutputText(output: unknown): string {
  return typeof output === "string" ? output : JSON.stringify(output) ?? "null";
}

/** Keeps a temperature inside the vendor's range; absent stays absent. */
export function clampTemperature(
  temperature: number | undefined,
  highest: number,
): { temperature?: number } {
  if (temperature === undefined) return {};
  return { temperature: Math.min(Math.max(temperature, 0), highest) };
}
