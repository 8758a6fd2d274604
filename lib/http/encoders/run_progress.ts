import type { LoggedFrame } from "../../chat/log/run_log.ts";
import type { FinishReason } from "../../schemas/error_codes.ts";
import type { FrameOf } from "../../schemas/frames.ts";

/** How a run ended, for formats that tell a cut answer from a failed one. */
export type RunOutcome =
  /** The answer is whole, or its sender stopped it. */
  | { kind: "finished"; reason: FinishReason }
  /** A limit of the agent ended the answer; what is there can be used. */
  | { kind: "cut"; reason: FinishReason }
  | { kind: "failed"; error: FrameOf<"error"> };

/** A tool call with its id, the same in every replay. */
export interface NumberedCall {
  id: string;
  n: number;
  name: string;
  waitsFor: FrameOf<"tool_call">["waitsFor"];
}

const CUT_REASONS: readonly FinishReason[] = ["length", "max_steps", "max_cost", "timeout"];
const UNKNOWN_ERROR: FrameOf<"error"> = {
  type: "error",
  code: "internal_error",
  message: "the run failed on our side",
};

/** What the frames of a run have said so far, as far as other formats need it again. */
export class RunProgress {
  readonly runId: string;
  start: FrameOf<"start"> | undefined;
  usage: FrameOf<"usage"> | undefined;
  hasText = false;
  #error: FrameOf<"error"> | undefined;
  /** Calls without a result; tools of one name answer in the order of their calls. */
  #open: NumberedCall[] = [];

  constructor(runId: string) {
    this.runId = runId;
  }

  /** The id of a frame, which names what begins with it. */
  idOf(n: number): string {
    return `${this.runId}.${n}`;
  }

  record({ frame }: LoggedFrame): void {
    if (frame.type === "start") this.start = frame;
    else if (frame.type === "delta") this.hasText = true;
    else if (frame.type === "usage") this.usage = frame;
    else if (frame.type === "error") this.#error = frame;
  }

  openCall(n: number, { name, waitsFor }: FrameOf<"tool_call">): NumberedCall {
    const call = { id: this.idOf(n), n, name, waitsFor };
    this.#open.push(call);
    return call;
  }

  /** The call that a result answers; `undefined` if none is open. */
  closeCall({ name, call: n }: FrameOf<"tool_result">): NumberedCall | undefined {
    const at = this.#open.findIndex((call) => n === undefined ? call.name === name : call.n === n);
    return at < 0 ? undefined : this.#open.splice(at, 1)[0];
  }

  /** A call has no result yet. */
  get hasOpenCall(): boolean {
    return this.#open.length > 0;
  }

  /** Calls that will have no result, because the run has ended. */
  takeOpenCalls(): NumberedCall[] {
    return this.#open.splice(0);
  }

  /** An answer that a limit ended before its first word has failed, unless `mayBeEmpty`. */
  outcomeOf(
    { finishReason: reason }: FrameOf<"done">,
    { mayBeEmpty = false }: { mayBeEmpty?: boolean } = {},
  ): RunOutcome {
    const isCut = CUT_REASONS.includes(reason);
    const hasWords = mayBeEmpty || this.hasText || this.#error === undefined;
    if (isCut && hasWords) return { kind: "cut", reason };
    if (reason === "error" || isCut) return { kind: "failed", error: this.#error ?? UNKNOWN_ERROR };
    return { kind: "finished", reason };
  }
}
