import { setImmediate } from "node:timers";

/** So long one turn of the event loop is held at most. */
const TURN_MS = 8;

/** Cuts long work into turns, between which everybody else has theirs. */
export class Breather {
  #since = performance.now();

  /** Whether the turn has been long enough. */
  get due(): boolean {
    return performance.now() - this.#since > TURN_MS;
  }

  /** Lets the others have a turn. */
  async breathe(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#since = performance.now();
  }
}
