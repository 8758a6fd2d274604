/** Types of tool_calls.ts and chat_with_tools.ts, as published. */

/**
 * A function of the page that the agent may call, as a tool of type `client`. Its output is JSON, at most
 * 256 KiB; what it throws is an error that the model reads. `signal` aborts when the call is over, and
 * when the loop over the answer is left.
 */
export type PageTool = (
  // deno-lint-ignore no-explicit-any -- the page knows its tool's parameters
  args: any,
  options: { readonly signal: AbortSignal },
) => unknown;

/** Of `chat()`, beside its other options. */
export interface ChatOptions {
  /**
   * Answers calls of the page's tools, by their names, or by a function that finds one. Each call is
   * answered once, in one tab, after the reader of its frame asks for the next one: store `position`
   * before. Without an entry the model reads that the tool is not available.
   */
  readonly tools?:
    | Readonly<Record<string, PageTool>>
    | ((name: string) => PageTool | undefined)
    | undefined;
}

/** What a page answers to a call that waits for it. */
export type ToolAnswer =
  /** JSON, at most 256 KiB. */
  | { readonly output: unknown }
  /** 1 to 1,000 characters, which the model reads. */
  | { readonly error: string };

export interface ToolCallsOptions {
  /** Address of the service. */
  readonly apiBase: string;
  /** As for `chat()`. */
  readonly sessionToken: string | ((rejected: string) => string | Promise<string>);
  readonly fetch?: typeof fetch | undefined;
}

/**
 * `n` is the number of the call's frame: the part of `position` behind the dot. Each method throws a
 * `ChatError`; its code is `already_decided` if the call does not wait any more.
 */
export interface ToolCalls {
  /** Approves or rejects a call that waits for the visitor. */
  decide(runId: string, n: number, approve: boolean): Promise<void>;
  /** Answers a call that waits for the page. `chat()` does it by itself if it has `tools`. */
  sendToolOutput(runId: string, n: number, answer: ToolAnswer): Promise<void>;
}

/** Decisions and outputs for the calls of a session's runs. */
export function toolCalls(options: ToolCallsOptions): ToolCalls;
