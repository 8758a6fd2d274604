import type { CallToolResult } from "@modelcontextprotocol/sdk/types";
import type { FollowableRun } from "../../chat/log/run_log.ts";
import type { FinishReason } from "../../schemas/error_codes.ts";
import type { Frame } from "../../schemas/frames.ts";
import type { AskOutput } from "../../schemas/mcp.ts";
import { toolErrorResult } from "./tool_result.ts";

/** What is said of an answer that did not end by itself. */
const EARLY_ENDS: Partial<Record<FinishReason, string>> = {
  length: "The answer is incomplete: it reached the length limit.",
  content_filter: "The answer is incomplete: a content filter stopped it.",
  max_steps: "The answer is incomplete: the agent used all its steps.",
  max_cost: "The answer is incomplete: the agent's cost limit was reached.",
  timeout: "The answer is incomplete: the agent's time was over.",
  cancelled: "The answer is incomplete: the run was cancelled.",
  error: "The answer is incomplete: the run failed.",
};

interface RelayOptions {
  /** Aborted when the client is gone or the process shuts down. */
  signal: AbortSignal;
  /** Receives each new piece of the answer, or the name of a tool that is called. */
  onProgress: (message: string) => Promise<void>;
}

/** Follows a run to its end. Resolves with `undefined` if `signal` is aborted first. */
export async function relayRun(
  run: FollowableRun,
  { signal, onProgress }: RelayOptions,
): Promise<CallToolResult | undefined> {
  const { log, followers } = run;
  const gone = Promise.withResolvers<void>();
  const finished = new AbortController();
  signal.addEventListener("abort", () => gone.resolve(), { signal: finished.signal });
  const answer = new RunAnswer(run.id);
  let position = 0;
  followers.enter();
  try {
    while (!signal.aborted) {
      const logged = log.after(position);
      for (const { n, frame } of logged) {
        position = n;
        const progress = answer.add(frame);
        if (progress !== undefined) await onProgress(progress);
      }
      if (logged.length === 0 && log.closed) break;
      if (logged.length === 0) await Promise.race([log.nextAppend(), gone.promise]);
    }
    if (log.interrupted) await run.recordEnd?.(position);
    return signal.aborted ? undefined : answer.toResult();
  } finally {
    finished.abort();
    followers.leave();
    if (log.closed) followers.settle();
  }
}

/** Collects the frames of a run into a tool's result. */
class RunAnswer {
  readonly #output: AskOutput;
  #error: string | undefined;

  constructor(runId: string) {
    this.#output = { text: "", conversationId: "", runId, finishReason: "error", costUsd: 0 };
  }

  /** Returns what the frame adds for a person who waits. */
  add(frame: Frame): string | undefined {
    const output = this.#output;
    switch (frame.type) {
      case "start":
        output.conversationId = frame.conversationId;
        return;
      case "delta":
        output.text += frame.text;
        return frame.text;
      case "tool_call":
        return `calls ${frame.name}`;
      case "tool_result":
        return;
      case "usage":
        output.costUsd = frame.costUsd;
        return;
      case "error":
        this.#error = `${frame.message} (${frame.code})`;
        return;
      case "done":
        output.finishReason = frame.finishReason;
        return;
      default:
        return frame satisfies never;
    }
  }

  toResult(): CallToolResult {
    const { text, finishReason, conversationId } = this.#output;
    const early = EARLY_ENDS[finishReason];
    const notes = [early, this.#error].filter((note) => note !== undefined);
    // The structured result is valid only with the id that the first frame has.
    if (conversationId === "") return toolErrorResult(notes.join(" "));
    const texts = [text, notes.join(" ")].filter((part) => part !== "");
    const isError = finishReason === "error" || finishReason === "cancelled" ||
      (text === "" && early !== undefined);
    return {
      content: texts.map((part) => ({ type: "text", text: part })),
      structuredContent: { ...this.#output },
      ...(isError && { isError }),
    };
  }
}
