import type { LoggedFrame } from "../../chat/log/run_log.ts";
import type { FinishReason } from "../../schemas/error_codes.ts";
import type { Frame, FrameOf } from "../../schemas/frames.ts";
import { usedPassages } from "../../agent/tools/found_passages.ts";
import { toolErrorText } from "./tool_error_text.ts";
import { type NumberedCall, RunProgress } from "./run_progress.ts";
import {
  type ContinuedStream,
  dataEvent,
  DONE_EVENT,
  OPENING_COMMENT,
  type StreamEncoder,
} from "./stream_encoder.ts";

export interface AiSdkOptions {
  continues?: ContinuedStream;
  /** The client knows approval parts: version 6 and newer. */
  approvals?: boolean;
}

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
  /** The answer so far and what tools found, to name the sources that the answer used. */
  #answer = "";
  readonly #results: FrameOf<"tool_result">[] = [];
  readonly #options: AiSdkOptions;
  /** The call that was encoded last waits for this. */
  #waitsFor: NumberedCall["waitsFor"];
  /** Its approval is a separate part. */
  #hasApprovalParts = false;

  constructor(runId: string, options: AiSdkOptions = {}) {
    this.#run = new RunProgress(runId);
    this.#options = options;
  }

  encode(logged: LoggedFrame): string {
    this.#run.record(logged);
    this.#waitsFor = undefined;
    const { continues } = this.#options;
    const begins = continues !== undefined && logged.n === continues.after + 1;
    return toEvents([...begins ? this.#continue() : [], ...this.#partsOf(logged)]);
  }

  /** The page answers with its next request, which it sends once the response has ended. */
  pause(): string | undefined {
    const isOfPage = this.#waitsFor === "page" ||
      (this.#waitsFor === "visitor" && this.#hasApprovalParts);
    if (!isOfPage) return undefined;
    return toEvents([
      { type: "finish-step" },
      { type: "finish", finishReason: "tool-calls" },
      "[DONE]",
    ]);
  }

  /** The message continues; the step in which the page was asked is over. */
  #continue(): unknown[] {
    this.#isStepOver = false;
    return [{ type: "start", messageId: this.#run.runId }, { type: "start-step" }];
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
    this.#answer += delta;
    if (this.#text !== undefined) return [{ type: "text-delta", id: this.#text, delta }];
    const id = this.#text = this.#run.idOf(n);
    return [...this.#nextStep(), { type: "text-start", id }, { type: "text-delta", id, delta }];
  }

  #toolCall(n: number, frame: FrameOf<"tool_call">): unknown[] {
    // The client would not answer while another call, whose server asks, has no output.
    this.#hasApprovalParts = this.#options.approvals === true && !this.#run.hasOpenCall;
    const { id: toolCallId, name: toolName, waitsFor } = this.#run.openCall(n, frame);
    this.#waitsFor = waitsFor;
    const call = { toolCallId, toolName, input: frame.args, ...flagsOf({ waitsFor }) };
    return [
      ...this.#endText(),
      ...this.#nextStep(),
      { type: "tool-input-available", ...call },
      ...waitsFor === undefined || waitsFor === "page" ? [] : [this.#approval(toolCallId, frame)],
    ];
  }

  /** Of a call that waits for a decision; a data part for versions that know none. */
  #approval(id: string, { name, title, args, waitsFor, expiresAt }: FrameOf<"tool_call">): unknown {
    if (waitsFor === "visitor" && this.#hasApprovalParts) {
      return { type: "tool-approval-request", approvalId: id, toolCallId: id };
    }
    const data = { toolCallId: id, toolName: title ?? name, input: args, waitsFor, expiresAt };
    return { type: "data-tool-approval", id, data };
  }

  #toolResult(frame: FrameOf<"tool_result">): unknown[] {
    const call = this.#run.closeCall(frame);
    if (call === undefined) return [];
    this.#isStepOver = true;
    this.#results.push(frame);
    const errorText = toolErrorText(frame);
    const result = errorText === undefined
      ? { type: "tool-output-available", toolCallId: call.id, output: frame.output }
      : { type: "tool-output-error", toolCallId: call.id, errorText };
    return [{ ...result, ...flagsOf(call) }];
  }

  /** The documents that the answer draws on, each once: known only when it is complete. */
  #sources(): unknown[] {
    const used = usedPassages(this.#answer, this.#results);
    const documents = new Map(used.map((passage) => [passage.documentId, passage]));
    return [...documents.values()].map(({ documentId: sourceId, title, url }) =>
      url === undefined
        ? { type: "source-document", sourceId, mediaType: "text/plain", title }
        : { type: "source-url", sourceId, url, title }
    );
  }

  #end(frame: FrameOf<"done">): unknown[] {
    const { finishReason } = frame;
    const outcome = this.#run.outcomeOf(frame);
    // A call without a result would look as if it were still running.
    const stopped = this.#run.takeOpenCalls().map((call) => ({
      ...{
        type: "tool-output-error",
        toolCallId: call.id,
        errorText: "the run ended before the tool answered",
      },
      ...flagsOf(call),
    }));
    const before = [...this.#endText(), ...this.#sources(), ...stopped];
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

/** The page must neither run the tool nor send its result, unless the tool is the page's own. */
function flagsOf({ waitsFor }: Pick<NumberedCall, "waitsFor">): object {
  return waitsFor === "page" ? {} : { providerExecuted: true, dynamic: true };
}

function toEvents(parts: readonly unknown[]): string {
  return parts.map((part) => part === "[DONE]" ? DONE_EVENT : dataEvent(part)).join("");
}

function metadata(messageMetadata: object): unknown {
  return { type: "message-metadata", messageMetadata };
}

function withoutType({ type: _type, ...rest }: Extract<Frame, { type: "usage" }>): object {
  return rest;
}
