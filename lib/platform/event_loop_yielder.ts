import { setImmediate } from "node:timers";

/** So long one turn of the event loop is held at most. */
const MAX_BLOCK_MS = 8;

/** Cuts long work into turns, between which everybody else has theirs. */
export class EventLoopYielder {
  #startedAt = performance.now();

  /** Whether the turn has been long enough. */
  get isDue(): boolean {
    return performance.now() - this.#startedAt > MAX_BLOCK_MS;
  }

  /** Lets the others have a turn. */
  async yield(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#startedAt = performance.now();
  }
}
