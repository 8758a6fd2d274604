import { setImmediate } from "node:timers";

/** How long one piece of work may block the event loop. */
const MAX_BLOCK_MS = 8;

/** Splits long computations, so that other tasks run in between. */
export class EventLoopYielder {
  #startedAt = performance.now();

  /** Checked before `yield`, because awaiting each time would be slow. */
  get isDue(): boolean {
    return performance.now() - this.#startedAt > MAX_BLOCK_MS;
  }

  async yield(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#startedAt = performance.now();
  }
}
