import type { LoggedFrame } from "../../chat/log/run_log.ts";
import type { FrameOf } from "../../schemas/frames.ts";
import { RunProgress } from "./run_progress.ts";
import {
  type ContinuedStream,
  dataEvent,
  OPENING_COMMENT,
  type StreamEncoder,
} from "./stream_encoder.ts";

export interface AgUiOptions {
  runId: string;
  /** The client's names for the conversation and the run; ours if it sent none. */
  thread?: { threadId: string; runId: string } | undefined;
  /** The client speaks version 1.0, which knows a cancelled run and page tools. */
  isVersion1: boolean;
  continues?: ContinuedStream;
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
  /** The call that was encoded last, if it waits. */
  #waiting: { id: string; frame: FrameOf<"tool_call"> } | undefined;

  constructor(options: AgUiOptions) {
    this.#run = new RunProgress(options.runId);
    this.#options = options;
  }

  encode(logged: LoggedFrame): string {
    this.#run.record(logged);
    this.#waiting = undefined;
    const { continues } = this.#options;
    const begins = continues !== undefined && logged.n === continues.after + 1;
    return [...begins ? this.#begin() : [], ...this.#eventsOf(logged)].map(dataEvent).join("");
  }

  /** The page answers with its next run, which it starts once this one has finished. */
  pause(): string | undefined {
    const { id, frame } = this.#waiting ?? {};
    const { isVersion1 } = this.#options;
    if (id === undefined || frame === undefined || frame.waitsFor === "person") return undefined;
    const isPage = frame.waitsFor === "page";
    if (!isPage && !isVersion1) return undefined;
    const outcome = isPage
      ? { type: "success", pendingToolCallIds: [id] }
      : { type: "interrupt", interrupts: [interruptOf(id, frame)] };
    const end = { type: "RUN_FINISHED", ...this.#names, ...isVersion1 && { outcome } };
    return dataEvent(end);
  }

  /** A run of the client's that continues ours. */
  #begin(): object[] {
    const started = { type: "RUN_STARTED", ...this.#names };
    return [this.#options.isVersion1 ? { ...started, protocolVersion: "1.0" } : started];
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
    const { id: toolCallId, name: toolCallName, waitsFor } = this.#run.openCall(n, frame);
    if (waitsFor !== undefined) this.#waiting = { id: toolCallId, frame };
    return [
      ...this.#endText(),
      { type: "TOOL_CALL_START", toolCallId, toolCallName },
      { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(frame.args) },
      { type: "TOOL_CALL_END", toolCallId },
      ...this.#announceApproval(toolCallId, frame),
    ];
  }

  /** For clients without interrupts, and of people, whose decision no client sends. */
  #announceApproval(toolCallId: string, frame: FrameOf<"tool_call">): object[] {
    const { waitsFor, expiresAt } = frame;
    if (waitsFor === undefined || waitsFor === "page") return [];
    if (waitsFor === "visitor" && this.#options.isVersion1) return [];
    return [{ type: "CUSTOM", name: "tool_approval", value: { toolCallId, waitsFor, expiresAt } }];
  }

  #toolResult(n: number, frame: FrameOf<"tool_result">): object[] {
    const call = this.#run.closeCall(frame);
    // The client has a message with its own output already.
    if (call === undefined || this.#options.continues?.answered.has(call.n)) return [];
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

function interruptOf(id: string, { name, title, expiresAt }: FrameOf<"tool_call">): object {
  const message = `May ${title ?? name} be called?`;
  return { id, reason: "tool_call", message, toolCallId: id, responseSchema: APPROVAL, expiresAt };
}

/** What a client sends as the payload of its answer. */
const APPROVAL = {
  type: "object",
  properties: { approved: { type: "boolean" } },
  required: ["approved"],
};

function content(messageId: string, delta: string): object {
  return { type: "TEXT_MESSAGE_CONTENT", messageId, delta };
}

function usageValue({ inputTokens, outputTokens, costUsd }: FrameOf<"usage">): object {
  return { inputTokens, outputTokens, costUsd };
}
