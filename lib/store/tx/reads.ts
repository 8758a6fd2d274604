import type { Runtime } from "../../platform/runtime.ts";
import type { Contention } from "./contention.ts";
import type { Documents } from "./documents.ts";
import { StoreUnavailableError } from "./operation.ts";
import type { Patience } from "./patience.ts";
import { storeDeadline } from "./store_deadline.ts";
import { isInvalidCall } from "./store_error.ts";

type Keys = ReadonlyMap<string, Deno.KvKey>;

/** After this many failures in a row a read gives up, even before its time is over. */
export const MAX_FAILURES = 60;

/** Reads what callers of a committer wait for into its memory, no longer than each of them may wait. */
export class Reads {
  readonly #documents: Documents;
  readonly #contention: Contention;
  readonly #patience: Patience;
  readonly #runtime: Pick<Runtime, "now">;

  constructor(
    documents: Documents,
    parts: { contention: Contention; patience: Patience; runtime: Pick<Runtime, "now"> },
  ) {
    this.#documents = documents;
    this.#contention = parts.contention;
    this.#patience = parts.patience;
    this.#runtime = parts.runtime;
  }

  /** Reads what is missing; false if the store did not answer, so that the caller has to try again. */
  async loadOnce(keys: Keys): Promise<boolean> {
    try {
      await this.#patience.forCaller(this.#documents.load(keys));
      return true;
    } catch (error) {
      this.#documents.abandonReads();
      if (storeDeadline()?.isSpent) throw error;
      return false;
    }
  }

  /** Reads again what other processes are likely to have changed, unless that was done after `since`. */
  async loadDoubtful(all: Keys, since: number): Promise<void> {
    const doubtful = this.#contention.doubtful(all, { documents: this.#documents, since });
    if (doubtful.size === 0) return;
    const keys = new Map([...doubtful].map(([text, { key }]) => [text, key]));
    const reading = this.#documents.load(keys, this.#documents.tick);
    // What cannot be read now is relied on as it is: the commit checks it.
    await this.#patience.forCaller(reading).catch((error) => {
      this.#documents.abandonReads();
      if (storeDeadline()?.isSpent) throw error;
    });
    this.#contention.compare(doubtful, this.#documents);
  }

  /** Reads what was not seen after `since`; throws `StoreUnavailableError` when the store stays silent. */
  loadPatiently(keys: Keys, since: number): Promise<void> {
    return this.#patiently(() => this.#documents.load(keys, since));
  }

  /** The values of up to 10 keys, all as the store has them at one moment from now on. */
  readTogether(keys: readonly Deno.KvKey[]): Promise<unknown[]> {
    return this.#patiently(() => this.#documents.readTogether(keys));
  }

  /** Retries a read, because a store can be locked for a moment. */
  async #patiently<T>(read: () => Promise<T>): Promise<T> {
    const deadline = this.#runtime.now() + this.#patience.ms;
    for (let failures = 0;;) {
      try {
        return await this.#patience.forCaller(read());
      } catch (cause) {
        this.#documents.abandonReads();
        if (isInvalidCall(cause)) throw cause;
        const isOver = storeDeadline()?.isSpent || this.#runtime.now() >= deadline;
        if (++failures >= MAX_FAILURES || isOver) {
          throw new StoreUnavailableError("the store does not answer", { cause });
        }
        await this.#patience.pause(failures);
      }
    }
  }
}
