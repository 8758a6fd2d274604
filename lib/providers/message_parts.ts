import { isJsonObject, tryParseJson } from "../platform/json.ts";
import type { ImageType } from "../schemas/attachment.ts";
import type { ImageContents, ModelMessage, ModelToolCall, UserMessage } from "./model.ts";

/** The arguments of a past call; empty if they were no object, which providers reject in a history. */
export function parseCallArguments(call: ModelToolCall): Readonly<Record<string, unknown>> {
  const args = tryParseJson(call.args);
  return isJsonObject(args) ? args : {};
}

/** The images of a message, with their content. */
export function imagesOf(
  { images = [] }: UserMessage,
  contents: ImageContents | undefined,
): { mediaType: ImageType; base64: string }[] {
  return images.map(({ id, mediaType }) => {
    const base64 = contents?.get(id);
    if (base64 === undefined) throw new TypeError("the request lacks the content of an image");
    return { mediaType, base64 };
  });
}

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

/**
 * Merges consecutive messages of one side into a turn, as providers require: all results of a step
 * share a turn, empty turns are omitted, and the user begins.
 */
export function toAlternatingMessages(
  messages: readonly ModelMessage[],
  { toParts, emptyPart }: { toParts: (message: ModelMessage) => unknown[]; emptyPart: unknown },
): { isModel: boolean; parts: unknown[] }[] {
  const turns: { isModel: boolean; parts: unknown[] }[] = [];
  for (const message of messages) {
    const isModel = message.role === "assistant";
    const parts = toParts(message);
    const last = turns.at(-1);
    if (last?.isModel === isModel) last.parts.push(...parts);
    else if (parts.length > 0) turns.push({ isModel, parts });
  }
  if (turns[0]?.isModel) turns.unshift({ isModel: false, parts: [emptyPart] });
  return turns;
}
