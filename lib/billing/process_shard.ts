import type { GroupCommitter } from "../store/tx/group_committer.ts";
import { keys } from "../store/keys/keys.ts";
import type { Runtime } from "../platform/runtime.ts";

/** The number of shards. With the division they are read together, and some stores read at most 10 keys. */
export const SHARDS = 8;
/** A process that does not renew its claim for this long loses the shard. */
const LEASE_MS = 3 * 60_000;
const RENEW_MS = 60_000;

interface Holder {
  owner: string;
  /** Milliseconds. */
  until: number;
}

interface Holders {
  v: 1;
  /** By shard number. */
  holders: Record<string, Holder>;
}

/**
 * The shard of contended records that this process writes, so that processes which share a store do not
 * conflict. All processes start with shard 0; one that meets contention claims another. This only affects
 * speed: two processes with the same shard conflict more often.
 */
export class ProcessShard {
  readonly #committer: GroupCommitter;
  readonly #runtime: Runtime;
  readonly #owner: string;
  #number = 0;
  #renewAt = Infinity;
  #claiming: Promise<void> | undefined;

  constructor(committer: GroupCommitter, runtime: Runtime) {
    this.#committer = committer;
    this.#runtime = runtime;
    this.#owner = runtime.uuid();
  }

  /** From 0 to `SHARDS` - 1. */
  get number(): number {
    if (this.#runtime.now() >= this.#renewAt) void this.claim();
    return this.#number;
  }

  /** Claims a shard for this process, or renews its claim. Never throws; a failure changes nothing. */
  claim(): Promise<void> {
    return this.#claiming ??= this.#claim().catch(() => {}).finally(() => {
      this.#claiming = undefined;
    });
  }

  /** Releases the shard. Never throws. */
  async release(): Promise<void> {
    await this.#claiming;
    if (this.#number === 0) return;
    this.#renewAt = Infinity;
    await this.#change((holders) => {
      const others = Object.entries(holders).filter(([, { owner }]) => owner !== this.#owner);
      return Object.fromEntries(others);
    }).catch(() => {});
    this.#number = 0;
  }

  async #claim(): Promise<void> {
    const now = this.#runtime.now();
    // Set first, so that a failed claim is retried as well.
    this.#renewAt = now + RENEW_MS;
    let number = 0;
    await this.#change((holders) => {
      number = this.#choose(holders, now);
      return { ...holders, [number]: { owner: this.#owner, until: now + LEASE_MS } };
    });
    this.#number = number;
  }

  /** Its current shard, a free one, or the one with the oldest claim. */
  #choose(holders: Holders["holders"], now: number): number {
    const numbers = Array.from({ length: SHARDS - 1 }, (_, i) => i + 1);
    const own = numbers.find((n) => holders[n]?.owner === this.#owner);
    const free = numbers.find((n) => (holders[n]?.until ?? 0) <= now);
    const until = (n: number) => holders[n]?.until ?? 0;
    return own ?? free ?? numbers.reduce((a, b) => until(b) < until(a) ? b : a);
  }

  async #change(make: (holders: Holders["holders"]) => Holders["holders"]): Promise<void> {
    const key = keys.processShards();
    await this.#committer.run({
      keys: [key],
      decide: (tx) => {
        const { holders } = tx.get<Holders>(key) ?? { holders: {} };
        tx.set(key, { v: 1, holders: make(holders) } satisfies Holders);
      },
    });
  }
}
