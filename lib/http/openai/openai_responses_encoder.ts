import type { LoggedFrame } from "../../chat/log/run_log.ts";
import type { FrameOf } from "../../schemas/frames.ts";
import { toolErrorText } from "../encoders/tool_error_text.ts";
import { RunProgress } from "../encoders/run_progress.ts";
import { DONE_EVENT, OPENING_COMMENT, type StreamEncoder } from "../encoders/stream_encoder.ts";
import {
  type McpCall,
  type OutputItem,
  type OutputMessage,
  type OutputText,
  responseObject,
  type ResponseRequest,
  type ResponseState,
} from "./response_object.ts";

/**
 * Events of OpenAI's Responses. Tools run here, so a call is an `mcp_call`, the standard item that the
 * client does not run. No event types of our own, because `openai` for Node fails on them, and no `id:`
 * and `retry:` lines, on which the Python client fails. Source: `openai` 7, `response-accumulator.ts`;
 * openresponses.org.
 */
export class OpenAiResponsesEncoder implements StreamEncoder {
  readonly opening = OPENING_COMMENT;
  readonly resumes = false;
  readonly #run: RunProgress;
  readonly #request: ResponseRequest;
  readonly #output: OutputItem[] = [];
  /** The message that deltas belong to. */
  #open: { item: OutputMessage; part: OutputText } | undefined;
  readonly #calls = new Map<string, { item: McpCall; index: number }>();
  #sequence = 0;

  constructor(runId: string, request: ResponseRequest) {
    this.#run = new RunProgress(runId);
    this.#request = request;
  }

  /** The whole response of a run that has ended. */
  static collect(runId: string, request: ResponseRequest, frames: readonly LoggedFrame[]): object {
    const encoder = new OpenAiResponsesEncoder(runId, request);
    for (const frame of frames) encoder.encode(frame);
    const done = frames.at(-1)?.frame;
    const end = done?.type === "done" ? encoder.#stateAt(done) : { status: "failed" } as const;
    return encoder.#snapshot(end);
  }

  encode(logged: LoggedFrame): string {
    this.#run.record(logged);
    const { n, frame } = logged;
    switch (frame.type) {
      case "start": {
        const response = this.#snapshot({ status: "in_progress" });
        return this.#event("response.created", { response }) +
          this.#event("response.in_progress", { response });
      }
      case "delta":
        return frame.text === "" ? "" : this.#delta(n, frame);
      case "tool_call":
        return this.#endMessage() + this.#toolCall(n, frame);
      case "tool_result":
        return this.#toolResult(frame);
      case "usage":
      case "error":
        return "";
      case "done":
        return this.#end(frame);
      default:
        return frame satisfies never;
    }
  }

  #delta(n: number, { text: delta }: FrameOf<"delta">): string {
    const opening = this.#open === undefined ? this.#openMessage(n) : "";
    const { part } = this.#open!;
    part.text += delta;
    return opening +
      this.#event("response.output_text.delta", { ...this.#place(), delta, logprobs: [] });
  }

  #openMessage(n: number): string {
    const id = `msg_${this.#run.idOf(n)}`;
    const part: OutputText = { type: "output_text", text: "", annotations: [], logprobs: [] };
    const item: OutputMessage = {
      ...{ type: "message", id, status: "in_progress", role: "assistant", content: [] },
    };
    this.#output.push(item);
    const added = this.#event("response.output_item.added", { output_index: this.#last, item });
    item.content.push(part);
    this.#open = { item, part };
    return added + this.#event("response.content_part.added", { ...this.#place(), part });
  }

  /** Where a message's text is. */
  #place() {
    const index = this.#output.indexOf(this.#open!.item);
    return { item_id: this.#open!.item.id, output_index: index, content_index: 0 };
  }

  #endMessage(status: OutputMessage["status"] = "completed"): string {
    if (this.#open === undefined) return "";
    const { item, part } = this.#open;
    const place = this.#place();
    item.status = status;
    this.#open = undefined;
    return this.#event("response.output_text.done", { ...place, text: part.text, logprobs: [] }) +
      this.#event("response.content_part.done", { ...place, part }) +
      this.#event("response.output_item.done", { output_index: place.output_index, item });
  }

  #toolCall(n: number, frame: FrameOf<"tool_call">): string {
    const call = this.#run.openCall(n, frame);
    const item: McpCall = {
      ...{ type: "mcp_call", id: `mcp_${call.id}`, status: "in_progress", server_label: "agent" },
      ...{ name: call.name, arguments: JSON.stringify(frame.args), output: null, error: null },
    };
    this.#output.push(item);
    this.#calls.set(call.id, { item, index: this.#last });
    return this.#event("response.output_item.added", { output_index: this.#last, item });
  }

  #toolResult(frame: FrameOf<"tool_result">): string {
    const call = this.#run.closeCall(frame);
    if (call === undefined) return "";
    const error = toolErrorText(frame);
    return this.#endCall(
      call.id,
      error === undefined ? { output: JSON.stringify(frame.output) } : { error },
    );
  }

  #endCall(
    id: string,
    { output = null, error = null }: { output?: string | null; error?: string | null },
  ): string {
    const { item, index } = this.#calls.get(id)!;
    Object.assign(item, { output, error, status: error === null ? "completed" : "failed" });
    return this.#event("response.output_item.done", { output_index: index, item });
  }

  #end(frame: FrameOf<"done">): string {
    const state = this.#stateAt(frame);
    const calls = this.#run.takeOpenCalls()
      .map(({ id }) => this.#endCall(id, { error: "the run ended before the tool answered" }));
    const before = calls.join("") +
      this.#endMessage(state.status === "completed" ? "completed" : "incomplete");
    const response = this.#snapshot(state);
    if (state.status !== "failed") {
      const type = state.status === "completed" ? "response.completed" : "response.incomplete";
      return before + this.#event(type, { response }) + DONE_EVENT;
    }
    const { code, message } = state.error!;
    return before + this.#event("error", { code, message, param: null }) +
      this.#event("response.failed", { response }) + DONE_EVENT;
  }

  #stateAt(frame: FrameOf<"done">): Omit<ResponseState, "output"> {
    const { finishReason } = frame;
    const { usage } = this.#run;
    const outcome = this.#run.outcomeOf(frame, { mayBeEmpty: true });
    if (outcome.kind === "failed") {
      const { code, message } = outcome.error;
      return { status: "failed", usage, error: { code, message }, finishReason };
    }
    if (finishReason === "cancelled") return { status: "cancelled", usage, finishReason };
    if (finishReason === "content_filter") {
      return { status: "incomplete", incompleteReason: "content_filter", usage, finishReason };
    }
    if (outcome.kind === "finished") return { status: "completed", usage };
    return { status: "incomplete", incompleteReason: "max_output_tokens", usage, finishReason };
  }

  #snapshot(state: Omit<ResponseState, "output">) {
    return responseObject(this.#run.runId, this.#request, { ...state, output: this.#output });
  }

  get #last(): number {
    return this.#output.length - 1;
  }

  #event(type: string, fields: object): string {
    const data = JSON.stringify({ type, sequence_number: this.#sequence++, ...fields });
    return `event: ${type}\ndata: ${data}\n\n`;
  }
}
