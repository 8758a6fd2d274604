import type { GroupCommitter } from "../store/tx/group_committer.ts";
import { keys } from "../store/keys/keys.ts";
import type { Runtime } from "../platform/runtime.ts";
import { ProcessShard } from "./process_shard.ts";

/** Changes by other processes are counted over this long. */
const CONTENTION_WINDOW_MS = 10_000;
/** Records whose contention is remembered. */
const MAX_REMEMBERED = 10_000;

/** Records that can be divided. */
interface Family {
  /** How many parts the key of an undivided record has; what follows is the shard. */
  keyLength: number;
  /** A record that others change so often while this process relies on it is contended. */
  conflicts: number;
  /** The same for a process that has a shard of its own, and so knows that it is not alone. */
  conflictsWhenSharded: number;
}

const FAMILIES = new Map<Deno.KvKeyPart, Family>([
  [keys.tenantLedgers()[0]!, { keyLength: 2, conflicts: 2, conflictsWhenSharded: 1 }],
  // A visitor whose two tabs ask two processes at once, now and then, is no reason to divide.
  [keys.addressWindows("")[0]!, { keyLength: 2, conflicts: 5, conflictsWhenSharded: 5 }],
  [keys.apiKeyWindow("", "")[0]!, { keyLength: 3, conflicts: 5, conflictsWhenSharded: 2 }],
]);

/**
 * Knows of which records this process writes a shard of its own, because other processes change them at
 * the same time. Everything else stays one record.
 */
export class ContendedKeys {
  /** The shard that this process writes. */
  readonly process: ProcessShard;
  readonly #now: () => number;
  /** When each record was contended lately, milliseconds. */
  readonly #times = new Map<string, number[]>();
  readonly #divided = new Set<string>();

  constructor(committer: GroupCommitter, runtime: Runtime) {
    this.#now = () => runtime.now();
    this.process = new ProcessShard(committer, runtime);
    committer.onContended((key) => this.#recordConflict(key));
  }

  /** The shard of a record that this process writes; `key` is that of its first shard. */
  shardOf(key: Deno.KvKey): number {
    if (this.#divided.size === 0) return 0;
    return this.#divided.has(key.join(" ")) ? this.process.number : 0;
  }

  /** A record that other processes change at the same time is divided from now on. */
  #recordConflict(key: Deno.KvKey): void {
    const family = FAMILIES.get(key[0]!);
    if (family === undefined) return;
    const name = key.slice(0, family.keyLength).join(" ");
    if (this.#divided.has(name)) return;
    const now = this.#now();
    const times = (this.#times.get(name) ?? []).filter((at) => at > now - CONTENTION_WINDOW_MS);
    this.#times.delete(name);
    const isAmongOthers = this.process.number > 0;
    const enough = isAmongOthers ? family.conflictsWhenSharded : family.conflicts;
    if (times.length + 1 < enough) {
      this.#times.set(name, [...times, now]);
      evictOldest(this.#times, MAX_REMEMBERED);
      return;
    }
    void this.process.claim();
    this.#divided.add(name);
    evictOldest(this.#divided, MAX_REMEMBERED);
  }
}

/** Keeps a memory within `limit` entries. */
export function evictOldest(of: Map<string, unknown> | Set<string>, limit: number): void {
  const [oldest] = of.keys();
  if (of.size > limit) of.delete(oldest!);
}
