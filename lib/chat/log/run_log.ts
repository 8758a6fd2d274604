import type { Frame } from "../../schemas/frames.ts";

/** A frame with its number in the run, from 1. */
export type LoggedFrame = { n: number; frame: Frame };

/** The error of a run whose process died or was stopped. */
export const INTERRUPTED_ERROR = {
  code: "run_interrupted",
  message: "the answer was interrupted on our side; send the message again",
} as const;

/** Sent to each follower of an interrupted run after the last frame it has. */
const INTERRUPTION_FRAMES: readonly Frame[] = [
  { type: "error", ...INTERRUPTED_ERROR },
  { type: "done", finishReason: "error" },
];

/**
 * The frames of one run in order. Any number of followers read them at their own pace from any position,
 * without copies.
 */
export class RunLog {
  readonly #frames: Frame[] = [];
  readonly #onAppend: (frame: Frame) => void;
  #interrupted = false;
  /** The numbers that `done` had for followers who already received the interruption. */
  #reportedEnds: readonly number[] = [];
  #waiting = new Set<() => void>();

  /** `onAppend` is called for each frame as it is appended. */
  constructor(onAppend: (frame: Frame) => void = () => {}) {
    this.#onAppend = onAppend;
  }

  /** True if no more frames follow. */
  get closed(): boolean {
    return this.#interrupted || this.#frames.at(-1)?.type === "done";
  }

  /** True if the log ended without `done`, because its process died. */
  get interrupted(): boolean {
    return this.#interrupted;
  }

  get length(): number {
    return this.#frames.length;
  }

  append(frame: Frame): void {
    if (this.closed) throw new Error("cannot append a frame to a closed log");
    this.#frames.push(frame);
    this.#onAppend(frame);
    this.#wake();
  }

  /** Ends the log of an orphaned run; `reportedEnds` are the numbers that its `done` has had. */
  interrupt(reportedEnds: readonly number[] = []): void {
    this.#interrupted = true;
    this.#reportedEnds = reportedEnds;
    this.#wake();
  }

  /** The frames after number `n`; empty if there are none yet. */
  after(n: number): LoggedFrame[] {
    const frames = numbered(this.#frames.slice(n), n);
    if (!this.#interrupted) return frames;
    if (frames.length > 0) {
      return [...frames, ...numbered(INTERRUPTION_FRAMES, this.#frames.length)];
    }
    if (this.#reportedEnds.includes(n)) return [];
    if (this.#reportedEnds.includes(n + 1)) return numbered(INTERRUPTION_FRAMES.slice(-1), n);
    // A follower may have seen frames that were never stored: continue after them, so that no id is
    // used twice.
    return numbered(INTERRUPTION_FRAMES, n);
  }

  /** Resolves with the next frame or the end. */
  nextAppend(): Promise<void> {
    return new Promise((resolve) => this.onNextAppend(resolve));
  }

  /** Calls `callback` once, with the next frame or the end. Returns a function that cancels it. */
  onNextAppend(callback: () => void): () => void {
    const waiting = this.#waiting;
    waiting.add(callback);
    return () => void waiting.delete(callback);
  }

  #wake(): void {
    if (this.#waiting.size === 0) return;
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const callback of waiting) callback();
  }
}

function numbered(frames: readonly Frame[], last: number): LoggedFrame[] {
  return frames.map((frame, i) => ({ n: last + i + 1, frame }));
}

/** A run that can be followed, wherever it executes. */
export interface FollowableRun {
  readonly id: string;
  readonly log: RunLog;
  /** Records the number that the `done` of an interruption has for a follower. */
  recordEnd?(n: number): Promise<void>;
  /** Counts followers; `settle` when the run needs none any more. */
  readonly followers: { enter(): void; leave(): void; settle(): void };
}
