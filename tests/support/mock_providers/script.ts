/** A tool call; its arguments are sent in these pieces where the protocol has pieces. */
export interface ScriptedCall {
  /** `undefined` where a server gives its calls none. */
  id?: string | undefined;
  name: string;
  args: readonly string[];
  /** Goes with the call and must come back with it, where a protocol has such a thing. */
  signature?: string;
}

/** One thing a vendor does inside its answer. */
export type ScriptedPart =
  | { text: string }
  /** Reasoning that is streamed and not part of the answer. */
  | { thought: string }
  /** One or more calls of one step; several are sent as the protocol sends parallel calls. */
  | { calls: readonly ScriptedCall[] }
  | { comment: string }
  /** The protocol's own sign of life; a comment where it has none. */
  | { ping: true }
  | { error: "overloaded" | "rate_limit" | "timeout" | "invalid" }
  /** Bytes of the body as they are. */
  | { raw: string | Uint8Array }
  /** Milliseconds, or until a test says so. */
  | { wait: number | Promise<unknown> };

export interface ScriptedUsage {
  input: unknown;
  output: unknown;
  cached?: number;
  reasoning?: number;
}

/** What one request gets. An empty script is a short, honest answer. */
export interface Script {
  /** Any status but 200 is a refusal. */
  status?: number;
  headers?: Readonly<Record<string, string>>;
  /** The whole body of a refusal, or of a recorded answer in place of `say` and `end`. */
  body?: string | Uint8Array;
  /** The whole body is sent once this settles. */
  heldUntil?: Promise<unknown>;
  say?: readonly ScriptedPart[];
  /** Why the model stopped, in our words; `none` leaves out the whole ending. */
  end?: "stop" | "length" | "filter" | "refusal" | "calls" | "none";
  usage?: ScriptedUsage | "absent";
  eol?: "\n" | "\r\n";
  /** Cuts the body into network chunks of this size, also inside lines and characters. */
  cut?: number;
  /**
   * How the response ends: whole, by a reset, by closing without the last chunk, by closing only our
   * half, or not at all.
   */
  finish?: "end" | "reset" | "close" | "half" | "hang";
  /** Sent in place of any HTTP, before the connection is closed. */
  garbage?: string;
  /** Nothing is sent at all. */
  silent?: true;
}

export type ProtocolName = "openai" | "anthropic" | "google";

/** Writes an answer in one protocol: each string is one event as its documentation shows it. */
export interface Wire {
  begin(): string[];
  say(
    say: Exclude<ScriptedPart, { raw: unknown } | { wait: unknown } | { comment: unknown }>,
  ): string[];
  end(): string[];
}

export interface WireOptions {
  model: string;
  script: Script;
}

export const HONEST_USAGE: ScriptedUsage = { input: 25, output: 15 };

export function scriptUsage({ usage = HONEST_USAGE }: Script): ScriptedUsage | undefined {
  return usage === "absent" ? undefined : usage;
}

/** The reason to give: calls when there are any, unless the script says another. */
export function scriptEnd({ end, say = [] }: Script): NonNullable<Script["end"]> {
  return end ?? (say.some((one) => "calls" in one) ? "calls" : "stop");
}
