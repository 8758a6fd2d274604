import { CALLED_OFF, type System } from "../system.ts";

/**
 * Counts who follows a run. A dropped client does not stop it, it may come back; a run that nobody
 * has followed for a while is stopped, so that an abandoned page does not go on spending.
 */
export class Watchers {
  #count = 0;
  #waiting: AbortController | undefined;
  #options: { system: System; unwatchedMs: number; onAbandoned: () => void };

  constructor(options: { system: System; unwatchedMs: number; onAbandoned: () => void }) {
    this.#options = options;
  }

  enter(): void {
    this.#count++;
    this.settle();
  }

  leave(): void {
    this.#count--;
    if (this.#count > 0) return;
    this.#waiting = new AbortController();
    this.#options.system.sleep(this.#options.unwatchedMs, this.#waiting.signal)
      .then(this.#options.onAbandoned, () => {});
  }

  /** Ends the wait: somebody is there again, or the run is over. */
  settle(): void {
    this.#waiting?.abort(CALLED_OFF);
    this.#waiting = undefined;
  }
}
