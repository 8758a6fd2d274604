import type { ModelToolCall } from "../models/model.ts";
import { isTooDeep } from "../nesting.ts";

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
