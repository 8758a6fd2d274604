import { KeyedLock } from "../../platform/keyed_lock.ts";
import type { Runtime } from "../../platform/runtime.ts";

/** Between two requests to a host. */
const DEFAULT_DELAY_MS = 500;
/** A longer `Crawl-delay` is shortened, because a crawl has to end. */
const MAX_DELAY_MS = 10_000;
/** Hosts that were asked long ago are forgotten. */
const MAX_HOSTS = 1_000;

/** One request at a time to each host, with a pause between two, however many crawls ask it. */
export class HostPace {
  readonly #runtime: Pick<Runtime, "now" | "sleep">;
  readonly #locks = new KeyedLock();
  readonly #endedAt = new Map<string, number>();

  constructor(runtime: Pick<Runtime, "now" | "sleep">) {
    this.#runtime = runtime;
  }

  run<T>(
    url: URL,
    work: () => Promise<T>,
    { delayMs = DEFAULT_DELAY_MS, signal }: { delayMs?: number | undefined; signal: AbortSignal },
  ): Promise<T> {
    return this.#locks.run(url.host, async () => {
      signal.throwIfAborted();
      const pause = Math.min(delayMs, MAX_DELAY_MS);
      const last = this.#endedAt.get(url.host);
      // The clock may have been set back.
      const passed = last === undefined ? pause : Math.max(0, this.#runtime.now() - last);
      if (passed < pause) await this.#runtime.sleep(pause - passed, signal);
      try {
        return await work();
      } finally {
        this.#note(url.host);
      }
    });
  }

  #note(host: string): void {
    this.#endedAt.delete(host);
    this.#endedAt.set(host, this.#runtime.now());
    const oldest = this.#endedAt.keys().next();
    if (this.#endedAt.size > MAX_HOSTS && !oldest.done) this.#endedAt.delete(oldest.value);
  }
}
