import type { LoggedFrame } from "../../chat/run_log.ts";
import type { FinishReason } from "../../schemas/error_codes.ts";
import type { Frame, FrameOf } from "../../schemas/frames.ts";
import { citedSources } from "../../agent/tools/cited_sources.ts";
import { toolErrorText } from "./tool_error_text.ts";
import { RunProgress } from "./run_progress.ts";
import { dataEvent, DONE_EVENT, OPENING_COMMENT, type StreamEncoder } from "./stream_encoder.ts";

/** Any other word fails the client's validation. */
const FINISH_REASONS: Readonly<Record<FinishReason, string>> = {
  stop: "stop",
  length: "length",
  content_filter: "content-filter",
  max_steps: "other",
  max_cost: "other",
  timeout: "other",
  cancelled: "other",
  error: "error",
};

/**
 * The UI message stream of the AI SDK, which `useChat` reads. Only parts and fields that every version
 * since 5.0 knows, because an unknown one ends the chat. Tools run here, so they are marked as dynamic
 * and as executed by the provider: the page must not run them. Source: packages `ai` 5 to 7,
 * `ui-message-chunks.ts` and `process-ui-message-stream.ts`.
 */
export class AiSdkEncoder implements StreamEncoder {
  readonly headers = { "x-vercel-ai-ui-message-stream": "v1" };
  readonly opening = OPENING_COMMENT;
  readonly resumes = false;
  readonly #run: RunProgress;
  /** The id of the text part that is open. */
  #text: string | undefined;
  /** A tool has answered, so what follows is the model's next step. */
  #isStepOver = false;
  readonly #sources = new Set<string>();

  constructor(runId: string) {
    this.#run = new RunProgress(runId);
  }

  encode(logged: LoggedFrame): string {
    this.#run.record(logged);
    return this.#partsOf(logged).map((part) => part === "[DONE]" ? DONE_EVENT : dataEvent(part))
      .join("");
  }

  #partsOf({ n, frame }: LoggedFrame): unknown[] {
    switch (frame.type) {
      case "start":
        return this.#start(frame);
      case "delta":
        return this.#delta(n, frame);
      case "tool_call":
        return this.#toolCall(n, frame);
      case "tool_result":
        return this.#toolResult(frame);
      case "usage":
        return [metadata({ usage: withoutType(frame) })];
      case "error":
        return []; // Part of the end: nothing is read after it.
      case "done":
        return this.#end(frame);
      default:
        return frame satisfies never;
    }
  }

  #start({ runId, conversationId, provider, model }: FrameOf<"start">): unknown[] {
    const messageMetadata = { runId, conversationId, provider, model };
    return [{ type: "start", messageId: runId, messageMetadata }, { type: "start-step" }];
  }

  #delta(n: number, { text: delta }: FrameOf<"delta">): unknown[] {
    if (delta === "") return [];
    if (this.#text !== undefined) return [{ type: "text-delta", id: this.#text, delta }];
    const id = this.#text = this.#run.idOf(n);
    return [...this.#nextStep(), { type: "text-start", id }, { type: "text-delta", id, delta }];
  }

  #toolCall(n: number, frame: FrameOf<"tool_call">): unknown[] {
    const { id: toolCallId, name: toolName } = this.#run.openCall(n, frame);
    const call = { toolCallId, toolName, input: frame.args, ...SERVER_TOOL };
    return [...this.#endText(), ...this.#nextStep(), { type: "tool-input-available", ...call }];
  }

  #toolResult(frame: FrameOf<"tool_result">): unknown[] {
    const call = this.#run.closeCall(frame);
    if (call === undefined) return [];
    this.#isStepOver = true;
    const errorText = toolErrorText(frame);
    const result = errorText === undefined
      ? { type: "tool-output-available", toolCallId: call.id, output: frame.output }
      : { type: "tool-output-error", toolCallId: call.id, errorText };
    return [{ ...result, ...SERVER_TOOL }, ...this.#newSources(frame)];
  }

  #newSources(frame: FrameOf<"tool_result">): unknown[] {
    const found = citedSources(frame).filter(({ documentId }) => !this.#sources.has(documentId));
    for (const { documentId } of found) this.#sources.add(documentId);
    return found.map(({ documentId: sourceId, title, url }) =>
      url === undefined
        ? { type: "source-document", sourceId, mediaType: "text/plain", title }
        : { type: "source-url", sourceId, url, title }
    );
  }

  #end(frame: FrameOf<"done">): unknown[] {
    const { finishReason } = frame;
    const outcome = this.#run.outcomeOf(frame);
    // A call without a result would look as if it were still running.
    const stopped = this.#run.takeOpenCalls().map(({ id: toolCallId }) => ({
      ...{
        type: "tool-output-error",
        toolCallId,
        errorText: "the run ended before the tool answered",
      },
      ...SERVER_TOOL,
    }));
    const before = [...this.#endText(), ...stopped];
    if (outcome.kind === "failed") {
      const { code, message: errorText } = outcome.error;
      const facts = metadata({ finishReason, errorCode: code });
      return [...before, facts, { type: "error", errorText }, "[DONE]"];
    }
    return [
      ...before,
      { type: "finish-step" },
      ...finishReason === "cancelled" ? [{ type: "abort" }] : [],
      {
        type: "finish",
        finishReason: FINISH_REASONS[finishReason],
        messageMetadata: { finishReason },
      },
      "[DONE]",
    ];
  }

  #endText(): unknown[] {
    const id = this.#text;
    this.#text = undefined;
    return id === undefined ? [] : [{ type: "text-end", id }];
  }

  #nextStep(): unknown[] {
    if (!this.#isStepOver) return [];
    this.#isStepOver = false;
    return [{ type: "finish-step" }, { type: "start-step" }];
  }
}

/** The page must neither run the tool nor send its result. */
const SERVER_TOOL = { providerExecuted: true, dynamic: true } as const;

function metadata(messageMetadata: object): unknown {
  return { type: "message-metadata", messageMetadata };
}

function withoutType({ type: _type, ...rest }: Extract<Frame, { type: "usage" }>): object {
  return rest;
}
