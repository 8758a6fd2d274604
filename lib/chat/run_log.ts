import type { Frame } from "../wire/frames.ts";

/** A frame with its place in the run: `n` counts 1, 2, 3 … */
export interface LoggedFrame {
  n: number;
  frame: Frame;
}

/**
 * The frames of one run in order. Any number of followers read it, each at its own pace and from any
 * place: a slow one holds back nobody and costs no copy.
 */
export class RunLog {
  #frames: Frame[] = [];
  /** Made for whoever waits: most frames come while nobody does. */
  #grown: PromiseWithResolvers<void> | undefined;

  /** The run's last frame has been written. */
  get closed(): boolean {
    return this.#frames.at(-1)?.type === "done";
  }

  /** How many frames there are. */
  get length(): number {
    return this.#frames.length;
  }

  append(frame: Frame): void {
    if (this.closed) throw new Error("a run has no frame after done");
    this.#frames.push(frame);
    this.#grown?.resolve();
    this.#grown = undefined;
  }

  /** Everything written after `n`, now; empty when there is nothing yet. */
  after(n: number): LoggedFrame[] {
    return this.#frames.slice(n).map((frame, i) => ({ n: n + i + 1, frame }));
  }

  /** Settles when something is written next. */
  grown(): Promise<void> {
    return (this.#grown ??= Promise.withResolvers()).promise;
  }
}
