import type { LoggedFrame } from "../../chat/run_log.ts";
import type { FrameOf } from "../../schemas/frames.ts";
import { RunProgress } from "./run_progress.ts";
import { dataEvent, OPENING_COMMENT, type StreamEncoder } from "./stream_encoder.ts";

export interface AgUiOptions {
  runId: string;
  /** The client's names for the conversation and the run; ours if it sent none. */
  thread?: { threadId: string; runId: string } | undefined;
  /** The client speaks version 1.0, which knows a cancelled run and page tools. */
  isVersion1: boolean;
}

/**
 * Events of AG-UI. No field is ever `null`, on which its clients fail, and everything that began is ended
 * before the run. Source: packages `@ag-ui/core` and `@ag-ui/client` 1.0, `verify.ts`.
 */
export class AgUiEncoder implements StreamEncoder {
  readonly opening = OPENING_COMMENT;
  readonly resumes = false;
  readonly #run: RunProgress;
  readonly #options: AgUiOptions;
  #messageId: string | undefined;
  #names: { threadId: string; runId: string } | undefined;

  constructor(options: AgUiOptions) {
    this.#run = new RunProgress(options.runId);
    this.#options = options;
  }

  encode(logged: LoggedFrame): string {
    this.#run.record(logged);
    return this.#eventsOf(logged).map(dataEvent).join("");
  }

  #eventsOf({ n, frame }: LoggedFrame): object[] {
    switch (frame.type) {
      case "start":
        return this.#start(frame);
      case "delta":
        return frame.text === "" ? [] : this.#delta(n, frame);
      case "tool_call":
        return this.#toolCall(n, frame);
      case "tool_result":
        return this.#toolResult(n, frame);
      case "usage":
        return [{ type: "CUSTOM", name: "usage", value: usageValue(frame) }];
      case "error":
        return []; // Part of the end.
      case "done":
        return this.#end(frame);
      default:
        return frame satisfies never;
    }
  }

  #start({ runId, conversationId, provider, model }: FrameOf<"start">): object[] {
    const names = this.#names = this.#options.thread ?? { threadId: conversationId, runId };
    const version = this.#options.isVersion1 ? { protocolVersion: "1.0" } : {};
    const value = { runId, conversationId, provider, model };
    return [{ type: "RUN_STARTED", ...names, ...version }, { type: "CUSTOM", name: "run", value }];
  }

  #delta(n: number, { text: delta }: FrameOf<"delta">): object[] {
    if (this.#messageId !== undefined) return [content(this.#messageId, delta)];
    const messageId = this.#messageId = this.#run.idOf(n);
    return [
      { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
      content(messageId, delta),
    ];
  }

  #toolCall(n: number, frame: FrameOf<"tool_call">): object[] {
    const { id: toolCallId, name: toolCallName } = this.#run.openCall(n, frame);
    return [
      ...this.#endText(),
      { type: "TOOL_CALL_START", toolCallId, toolCallName },
      { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(frame.args) },
      { type: "TOOL_CALL_END", toolCallId },
    ];
  }

  #toolResult(n: number, frame: FrameOf<"tool_result">): object[] {
    const call = this.#run.closeCall(frame);
    if (call === undefined) return [];
    const message = { messageId: this.#run.idOf(n), toolCallId: call.id, role: "tool" };
    return [{ type: "TOOL_CALL_RESULT", ...message, content: JSON.stringify(frame.output) }];
  }

  #end(frame: FrameOf<"done">): object[] {
    const outcome = this.#run.outcomeOf(frame);
    const { finishReason } = frame;
    if (outcome.kind === "failed") {
      const { code, message } = outcome.error;
      return [...this.#endText(), { type: "RUN_ERROR", message, code }];
    }
    const isCancelled = finishReason === "cancelled" && this.#options.isVersion1;
    return [...this.#endText(), {
      ...{ type: "RUN_FINISHED", ...this.#names },
      result: { finishReason },
      ...this.#options.isVersion1 && { outcome: { type: isCancelled ? "cancelled" : "success" } },
      ...this.#options.isVersion1 && this.#usage(),
    }];
  }

  #usage(): object {
    const { start, usage } = this.#run;
    if (usage === undefined) return {};
    const { inputTokens, outputTokens } = usage;
    const tokens = { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
    return { usage: [{ provider: start?.provider, model: start?.model, ...tokens }] };
  }

  #endText(): object[] {
    const messageId = this.#messageId;
    this.#messageId = undefined;
    return messageId === undefined ? [] : [{ type: "TEXT_MESSAGE_END", messageId }];
  }
}

function content(messageId: string, delta: string): object {
  return { type: "TEXT_MESSAGE_CONTENT", messageId, delta };
}

function usageValue({ inputTokens, outputTokens, costUsd }: FrameOf<"usage">): object {
  return { inputTokens, outputTokens, costUsd };
}
