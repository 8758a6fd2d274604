/** A tool call; its arguments are sent in these pieces where the protocol has pieces. */
export interface ScriptedCall {
  /** Undefined for servers without call ids. */
  id?: string | undefined;
  name: string;
  args: readonly string[];
  /** Must be returned with the call's result, in protocols with signatures. */
  signature?: string;
}

/** One step of a provider's answer. */
export type ScriptedPart =
  | { text: string }
  /** Reasoning, streamed apart from the answer. */
  | { thought: string }
  /** One or more calls of one step; several are sent as the protocol sends parallel calls. */
  | { calls: readonly ScriptedCall[] }
  | { comment: string }
  /** The protocol's keep-alive event, or a comment. */
  | { ping: true }
  | { error: "overloaded" | "rate_limit" | "timeout" | "invalid" }
  /** Raw bytes of the body. */
  | { raw: string | Uint8Array }
  /** Milliseconds, or a promise of the test. */
  | { wait: number | Promise<unknown> };

export interface ScriptedUsage {
  input: unknown;
  output: unknown;
  cached?: number;
  /** Written to a cache for five minutes; only Anthropic reports it. */
  written?: number;
  reasoning?: number;
}

/** The response to one request. An empty script is a short, valid answer. */
export interface Script {
  /** Any status but 200 is an error. */
  status?: number;
  headers?: Readonly<Record<string, string>>;
  /** The whole body of an error, or of a recorded answer instead of `say` and `end`. */
  body?: string | Uint8Array;
  /** The whole body is sent once this settles. */
  heldUntil?: Promise<unknown>;
  say?: readonly ScriptedPart[];
  /** Why the model stopped; `none` omits the ending. */
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
  /** Sent instead of HTTP, before the connection is closed. */
  garbage?: string;
  /** Nothing is sent. */
  silent?: true;
}

export type { Protocol as ProtocolName } from "@/lib/schemas/connection_config.ts";

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

/** The finish reason: the script's, or `calls` if there are any. */
export function scriptEnd({ end, say = [] }: Script): NonNullable<Script["end"]> {
  return end ?? (say.some((one) => "calls" in one) ? "calls" : "stop");
}
