import type { Runtime } from "../platform/runtime.ts";
import { keys } from "../store/keys/keys.ts";
import { LRUCache } from "lru-cache";
import type { GroupCommitter } from "../store/tx/group_committer.ts";
import { ProcessShard } from "./process_shard.ts";

const CONTENTION_WINDOW_MS = 10_000;
const MAX_REMEMBERED = 10_000;

/** A kind of records that can be divided into shards. */
interface Family {
  /** Key parts of an undivided record; a shard number follows them. */
  keyLength: number;
  /** Conflicts within the window that make a record contended. */
  conflicts: number;
  /** The same for a process that has a shard, and so is known not to be alone. */
  conflictsWhenSharded: number;
}

const FAMILIES = new Map<Deno.KvKeyPart, Family>([
  [keys.tenantLedgers()[0]!, { keyLength: 2, conflicts: 2, conflictsWhenSharded: 1 }],
  // Not for a visitor whose two tabs sometimes reach two processes at once.
  [keys.addressWindows("")[0]!, { keyLength: 2, conflicts: 5, conflictsWhenSharded: 5 }],
  [keys.apiKeyWindow("", "")[0]!, { keyLength: 3, conflicts: 5, conflictsWhenSharded: 2 }],
]);

/** Tracks records that other processes write at the same time; this process writes a shard of those. */
export class ContendedKeys {
  readonly process: ProcessShard;
  readonly #now: () => number;
  /** The times of each record's recent conflicts, milliseconds. */
  readonly #conflicts = new LRUCache<string, number[]>({ max: MAX_REMEMBERED });
  readonly #divided = new LRUCache<string, true>({ max: MAX_REMEMBERED });

  constructor(committer: GroupCommitter, runtime: Runtime) {
    this.#now = () => runtime.now();
    this.process = new ProcessShard(committer, runtime);
    committer.onContended((key) => this.#recordConflict(key));
  }

  /** The shard of a record that this process writes; `key` is the key of its first shard. */
  shardOf(key: Deno.KvKey): number {
    if (this.#divided.size === 0) return 0;
    return this.#divided.has(key.join(" ")) ? this.process.number : 0;
  }

  #recordConflict(key: Deno.KvKey): void {
    const family = FAMILIES.get(key[0]!);
    if (family === undefined) return;
    const name = key.slice(0, family.keyLength).join(" ");
    if (this.#divided.has(name)) return;
    const now = this.#now();
    const recent = (this.#conflicts.get(name) ?? []).filter((at) =>
      at > now - CONTENTION_WINDOW_MS
    );
    const threshold = this.process.number > 0 ? family.conflictsWhenSharded : family.conflicts;
    if (recent.length + 1 < threshold) {
      this.#conflicts.set(name, [...recent, now]);
      return;
    }
    this.#conflicts.delete(name);
    void this.process.claim();
    this.#divided.set(name, true);
  }
}
