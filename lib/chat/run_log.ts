import type { Frame } from "../schemas/frames.ts";

/** A frame with its place in the run: `n` counts 1, 2, 3 … */
export interface LoggedFrame {
  n: number;
  frame: Frame;
}

/** Of a run whose process died or was told to end. */
export const INTERRUPTED_ERROR = {
  code: "run_interrupted",
  message: "the answer was interrupted on our side; send the message again",
} as const;

/** What ends a run whose process died; told to each follower after the last frame it has. */
const INTERRUPTION_FRAMES: readonly Frame[] = [
  { type: "error", ...INTERRUPTED_ERROR },
  { type: "done", finishReason: "error" },
];

/**
 * The frames of one run in order. Any number of followers read it, each at its own pace and from any
 * place: a slow one holds back nobody and costs no copy.
 */
export class RunLog {
  #frames: Frame[] = [];
  #interrupted = false;
  /** What `done` was numbered for those who were told of the interruption before. */
  #told: readonly number[] = [];
  /** Made for whoever waits: most frames come while nobody does. */
  #grown: PromiseWithResolvers<void> | undefined;
  #onAppend: (frame: Frame) => void;

  /** `onAppend` is told of each frame as it is written. */
  constructor(onAppend: (frame: Frame) => void = () => {}) {
    this.#onAppend = onAppend;
  }

  /** There will be no more frames. */
  get closed(): boolean {
    return this.#interrupted || this.#frames.at(-1)?.type === "done";
  }

  /** It ended without a `done` of its own: its process died. */
  get interrupted(): boolean {
    return this.#interrupted;
  }

  /** How many frames there are. */
  get length(): number {
    return this.#frames.length;
  }

  append(frame: Frame): void {
    if (this.closed) throw new Error("a run has no frame after done");
    this.#frames.push(frame);
    this.#onAppend(frame);
    this.#wake();
  }

  /** Ends a log whose process died; `told` are the numbers that its `done` has had. */
  interrupt(told: readonly number[] = []): void {
    this.#interrupted = true;
    this.#told = told;
    this.#wake();
  }

  /** Everything written after `n`, now; empty when there is nothing yet. */
  after(n: number): LoggedFrame[] {
    if (this.#interrupted && n >= this.#frames.length) {
      if (this.#told.includes(n)) return [];
      if (this.#told.includes(n + 1)) return [{ n: n + 1, frame: INTERRUPTION_FRAMES.at(-1)! }];
      // Whoever has seen frames that were never stored goes on after them: no id is used twice.
      return INTERRUPTION_FRAMES.map((frame, i) => ({ n: n + i + 1, frame }));
    }
    const frames = this.#frames.slice(n).map((frame, i) => ({ n: n + i + 1, frame }));
    if (!this.#interrupted) return frames;
    const last = this.#frames.length;
    return [...frames, ...INTERRUPTION_FRAMES.map((frame, i) => ({ n: last + i + 1, frame }))];
  }

  /** Settles when something is written next. */
  nextAppend(): Promise<void> {
    return (this.#grown ??= Promise.withResolvers()).promise;
  }

  #wake(): void {
    this.#grown?.resolve();
    this.#grown = undefined;
  }
}

/** What following a run takes, wherever it runs. */
export interface FollowableRun {
  readonly id: string;
  readonly log: RunLog;
  /** Told which number the `done` of an interruption will have for a follower. */
  recordEnd?(n: number): Promise<void>;
  /** Told who comes and goes; `settle` when nobody needs to be waited for any more. */
  readonly watchers: { enter(): void; leave(): void; settle(): void };
}
