import type { System } from "../system.ts";

/** Does the same work again and again while it is wanted; the pause is between two of them. */
export class Repeating {
  #system: System;
  #everyMs: number;
  #work: () => Promise<void>;
  #going: AbortController | undefined;
  #current: Promise<void> = Promise.resolve();

  /** `work` first after `everyMs`; one that fails is made up for by the next. */
  constructor(system: System, options: { everyMs: number; work: () => Promise<void> }) {
    this.#system = system;
    this.#everyMs = options.everyMs;
    this.#work = options.work;
  }

  start(): void {
    if (this.#going !== undefined) return;
    this.#going = new AbortController();
    this.#next(this.#going.signal);
  }

  /** No work begins any more; resolves when what is being done is over. */
  async stop(): Promise<void> {
    this.#going?.abort();
    this.#going = undefined;
    await this.#current;
  }

  #next(signal: AbortSignal): void {
    this.#system.sleep(this.#everyMs, signal).then(async () => {
      await (this.#current = this.#work().catch(() => {}));
      if (!signal.aborted) this.#next(signal);
    }, () => {});
  }
}
