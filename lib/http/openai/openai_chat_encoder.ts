import type { LoggedFrame } from "../../chat/log/run_log.ts";
import type { FinishReason } from "../../schemas/error_codes.ts";
import type { FrameOf } from "../../schemas/frames.ts";
import { RunProgress } from "../encoders/run_progress.ts";
import {
  dataEvent,
  DONE_EVENT,
  OPENING_COMMENT,
  type StreamEncoder,
} from "../encoders/stream_encoder.ts";
import { openAiError } from "./openai_error.ts";

/** The format has no word for an agent's limits; the extra field `agent_finish_reason` has ours. */
export const OPENAI_FINISH_REASONS: Readonly<Record<FinishReason, string>> = {
  stop: "stop",
  length: "length",
  content_filter: "content_filter",
  max_steps: "length",
  max_cost: "length",
  timeout: "length",
  cancelled: "stop",
  error: "stop",
};

export interface OpenAiChatOptions {
  runId: string;
  /** Repeated in each chunk, as it was asked for. */
  model: string;
  /** The client asked for a last chunk with the usage. */
  includeUsage: boolean;
}

/**
 * Chunks of OpenAI's chat completions. Without `id:` and `retry:` lines, on which its Python client fails.
 * Tools run here, so their frames are left out: a tool call would ask the client to run it. Source:
 * `openai` 7 for Node, `openai` for Python, `@ai-sdk/openai`.
 */
export class OpenAiChatEncoder implements StreamEncoder {
  readonly opening = OPENING_COMMENT;
  readonly resumes = false;
  readonly #run: RunProgress;
  readonly #options: OpenAiChatOptions;
  /** A chunk up to its delta, which is the same for each one. */
  readonly #head: string;
  readonly #tail: string;

  constructor(options: OpenAiChatOptions) {
    const { runId, model, includeUsage } = options;
    this.#run = new RunProgress(runId);
    this.#options = options;
    const head = JSON.stringify({
      ...completionFacts(runId),
      object: "chat.completion.chunk",
      model,
    });
    this.#head = `data: ${head.slice(0, -1)},"choices":[{"index":0,"delta":`;
    this.#tail = `}]${includeUsage ? ',"usage":null' : ""}`;
  }

  encode(logged: LoggedFrame): string {
    this.#run.record(logged);
    const { frame } = logged;
    switch (frame.type) {
      case "start":
        return this.#chunk(`{"role":"assistant","content":""}`);
      case "delta":
        return this.#chunk(`{"content":${JSON.stringify(frame.text)}}`);
      case "tool_call":
      case "tool_result":
      case "usage":
      case "error":
        return "";
      case "done":
        return this.#end(frame);
      default:
        return frame satisfies never;
    }
  }

  #chunk(delta: string, finish = "null", more = ""): string {
    return `${this.#head}${delta},"finish_reason":${finish}${this.#tail}${more}}\n\n`;
  }

  #end(frame: FrameOf<"done">): string {
    const outcome = this.#run.outcomeOf(frame, { mayBeEmpty: true });
    if (outcome.kind === "failed") {
      return dataEvent({ error: openAiError(outcome.error) }) + DONE_EVENT;
    }
    const { finishReason } = frame;
    const finish = JSON.stringify(OPENAI_FINISH_REASONS[finishReason]);
    const more = `,"agent_finish_reason":${JSON.stringify(finishReason)}`;
    return this.#chunk("{}", finish, more) + this.#usageChunk() + DONE_EVENT;
  }

  #usageChunk(): string {
    const { runId, model, includeUsage } = this.#options;
    const usage = includeUsage ? completionUsage(this.#run.usage) : undefined;
    if (usage === undefined) return "";
    const facts = { ...completionFacts(runId), object: "chat.completion.chunk", model };
    return dataEvent({ ...facts, choices: [], usage });
  }
}

/** The id and time of a completion; the time (Unix, seconds) is in the run's id. */
export function completionFacts(runId: string): { id: string; created: number } {
  return { id: `chatcmpl-${runId}`, created: startOfRun(runId) };
}

/** When a run was admitted, Unix seconds: run ids are UUIDs of version 7. */
export function startOfRun(runId: string): number {
  return Math.floor(parseInt(runId.replaceAll("-", "").slice(0, 12), 16) / 1_000);
}

/** `cost_usd` is ours. */
export function completionUsage(frame: FrameOf<"usage"> | undefined) {
  const { inputTokens = 0, outputTokens = 0, costUsd = 0 } = frame ?? {};
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    cost_usd: costUsd,
  };
}
