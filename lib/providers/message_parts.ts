import { isJsonObject, tryParseJson } from "../platform/json.ts";
import type { ModelToolCall } from "./model.ts";

/** The arguments of a past call; empty if they were no object, which providers reject in a history. */
export function parseCallArguments(call: ModelToolCall): Readonly<Record<string, unknown>> {
  const args = tryParseJson(call.args);
  return isJsonObject(args) ? args : {};
}

/** A tool's output as text. */
export function toolOutputText(output: unknown): string {
  return typeof output === "string" ? output : JSON.stringify(output) ?? "null";
}

/** Limits a temperature to the provider's range; absent stays absent. */
export function clampTemperature(
  temperature: number | undefined,
  max: number,
): { temperature?: number } {
  if (temperature === undefined) return {};
  return { temperature: Math.min(Math.max(temperature, 0), max) };
}
