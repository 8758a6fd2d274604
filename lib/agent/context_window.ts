/** Bytes that make a token at least, in prose of any script; a guess that errs on the short side. */
const BYTES_PER_TOKEN = 3;
/** Of the context, this part is kept free for the answer; more of it gives way to what is asked. */
const OUTPUT_SHARE = 1 / 4;

/** What a model can take in one request. */
export interface ContextWindow {
  contextTokens: number;
  /** What its answer may have where there is room for it. */
  maxOutputTokens: number;
}

/** How many bytes of prompt, tools and messages fit beside the shortest answer that is worth it. */
export function maxPromptBytes(room: ContextWindow): number {
  return (room.contextTokens - reservedOutputTokens(room)) * BYTES_PER_TOKEN;
}

/**
 * How many tokens the answer may have beside `promptBytes`: a server that is strict refuses what is
 * more than its context in sum. Never less than what is kept free for it, as the bytes are a guess.
 */
export function remainingOutputTokens(room: ContextWindow, promptBytes: number): number {
  const rest = room.contextTokens - Math.ceil(promptBytes / BYTES_PER_TOKEN);
  return Math.min(room.maxOutputTokens, Math.max(rest, reservedOutputTokens(room)));
}

function reservedOutputTokens({ contextTokens, maxOutputTokens }: ContextWindow): number {
  return Math.max(1, Math.min(maxOutputTokens, Math.floor(contextTokens * OUTPUT_SHARE)));
}
