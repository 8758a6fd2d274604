import { LRUCache } from "lru-cache";
import { randomFraction, type Runtime } from "../platform/runtime.ts";
import type { GroupCommitter } from "../store/tx/group_committer.ts";
import type { Transaction } from "../store/tx/operation.ts";
import type { ContendedKeys } from "./contended_keys.ts";
import { MAX_SKEW_MS } from "./ledger.ts";
import { LimitError, type LimitRejection } from "./limit_error.ts";
import { type Limits, WINDOW_MS } from "./limits.ts";
import { SHARDS } from "./process_shard.ts";
import { takeFromWindow } from "./rate_window.ts";
import {
  type Caller,
  emptyWindows,
  type StoredWindows,
  windowKey,
  windowLimit,
  type WindowRef,
  windowRejection,
  windowRetention,
  windowShard,
} from "./request_windows.ts";
import {
  allotPlaces,
  allottedPlaces,
  liveCount,
  type PlaceRequest,
  untilPlace,
} from "./window_allotment.ts";

/** A request whose shard was emptied by others this often in a row is rejected, to be retried soon. */
const MAX_ATTEMPTS = 60;
const RETRY_AFTER_MS = 1_000;
/** Attempts that always respect places reserved for requests of other processes. */
const POLITE_ATTEMPTS = 4;
/** The share of later attempts that ignore reservations: if all did, no process could use its own. */
const PREEMPT_SHARE = 1 / 8;
/** Maximum wait for reserved places before the next attempt; milliseconds. */
const PAUSE_MS = 20;
const MAX_REMEMBERED = 10_000;

type WindowRequest = { caller: Caller; limits: Limits };

type RequestedWindow = WindowRequest & WindowRef;

/** A window that is full in all its shards together. */
interface FullWindow {
  limit: number;
  /** When the next place becomes free, milliseconds. */
  until: number;
}

type MoveResult =
  | "moved"
  /** All free places are reserved for requests of other processes. */
  | "reserved"
  /** No shard has a free place for this long, milliseconds. */
  | { retryAfterMs: number };

/**
 * Divides the windows of an address or API key that several processes serve at the same time, as
 * `LedgerShards` divides a tenant's ledger: each process has a shard with a number of places. A shard
 * without free places takes them from all shards, in one transaction that checks every one of them. Only
 * free places move, so no minute, wherever it begins, exceeds the limit.
 */
export class WindowShards {
  readonly #committer: GroupCommitter;
  readonly #runtime: Runtime;
  readonly #contended: ContendedKeys;
  readonly #full = new LRUCache<string, FullWindow>({ max: MAX_REMEMBERED });
  readonly #waiting = new Map<string, number>();

  constructor(committer: GroupCommitter, options: { runtime: Runtime; contended: ContendedKeys }) {
    this.#committer = committer;
    this.#runtime = options.runtime;
    this.#contended = options.contended;
  }

  /** The caller with the shards of its windows that this process writes. */
  assignShards(caller: Caller): Caller {
    const address = this.#contended.shardOf(windowKey(caller, "address", 0));
    const key = caller.apiKey ? this.#contended.shardOf(windowKey(caller, "key", 0)) : 0;
    return address + key === 0 ? caller : { ...caller, shards: { address, key } };
  }

  /** The result of `decide` once its shards have capacity. Throws the 429 of a window that is full. */
  async withCapacity<T extends object>(
    { caller, limits }: WindowRequest,
    decide: () => Promise<T | { full: WindowRef }>,
  ): Promise<Exclude<T, { full: WindowRef }>> {
    for (let attempt = 0;; attempt++) {
      const decided = await decide();
      if (!("full" in decided)) return decided as Exclude<T, { full: WindowRef }>;
      const full = { caller, limits, ...decided.full };
      if (attempt === MAX_ATTEMPTS) throw new LimitError(rejectionOf(full, RETRY_AFTER_MS));
      const respectsReservations = attempt < POLITE_ATTEMPTS ||
        randomFraction(this.#runtime) >= PREEMPT_SHARE;
      await this.#makeCapacity(full, respectsReservations);
    }
  }

  /** The rejection of an address whose window is full as far as this process knows. */
  knownFull(
    address: string,
    { limits, scope }: { limits: Limits; scope: "ip" | "ip_resume" },
  ): LimitRejection | undefined {
    const caller = this.assignShards({ address });
    const window = scope === "ip" ? "all" : "resumes";
    const wanted: RequestedWindow = { caller, limits, owner: "address", window };
    const remembered = this.#remembered(wanted);
    if (remembered !== undefined) return remembered;
    const windows = this.#committer.getCached<StoredWindows>(windowKey(caller, "address"));
    const rule = { limit: windowLimit(wanted, limits), windowMs: WINDOW_MS };
    const now = this.#runtime.now();
    const times = windowShard(windows ?? emptyWindows("address"), window);
    const taken = takeFromWindow(times, { now, rule });
    return taken.admitted ? undefined : rejectionOf(wanted, taken.retryAfterMs);
  }

  /** Moves free places of other shards to a full one. Throws the 429 if there are none. */
  async #makeCapacity(full: RequestedWindow, respectsReservations: boolean): Promise<void> {
    const known = this.#remembered(full);
    if (known !== undefined) throw new LimitError(known);
    const name = windowName(full);
    this.#wait(name, 1);
    const moved = await this.#move(full, respectsReservations)
      .finally(() => this.#wait(name, -1));
    if (moved === "moved") return;
    if (moved === "reserved") {
      // Jitter keeps processes from retrying in step.
      const ms = PAUSE_MS * (0.5 + randomFraction(this.#runtime) / 2);
      return await this.#runtime.sleep(Math.ceil(ms));
    }
    const limit = windowLimit(full, full.limits);
    this.#full.set(name, { limit, until: this.#runtime.now() + moved.retryAfterMs });
    throw new LimitError(rejectionOf(full, moved.retryAfterMs));
  }

  #move(full: RequestedWindow, respectsReservations: boolean): Promise<MoveResult> {
    const { caller, limits, owner } = full;
    const keys = Array.from({ length: SHARDS }, (_, n) => windowKey(caller, owner, n));
    const limit = windowLimit(full, limits);
    const shard = caller.shards?.[owner] ?? 0;
    return this.#committer.run<MoveResult>({
      keys,
      decide: (tx) => {
        const now = this.#runtime.now();
        const need = this.#waiting.get(windowName(full)) ?? 1;
        const request = { shard, limit, need, now, respectsReservations };
        return moveFreePlaces(tx, keys, { full, request });
      },
      // Whether there is capacity now is decided on the shard.
      isFinal: (moved) => moved === "moved",
    });
  }

  /** The rejection if the window was found full and still is: a flood then costs the store nothing. */
  #remembered(wanted: RequestedWindow): LimitRejection | undefined {
    if (this.#full.size === 0) return undefined;
    const known = this.#full.get(windowName(wanted));
    const retryAfterMs = (known?.until ?? 0) - this.#runtime.now();
    const isFull = known?.limit === windowLimit(wanted, wanted.limits) && retryAfterMs > 0;
    // After the clock was set back, an implausibly long wait must not lock anyone out.
    if (!isFull || retryAfterMs > WINDOW_MS + MAX_SKEW_MS + 1) return undefined;
    return rejectionOf(wanted, retryAfterMs);
  }

  #wait(name: string, change: number): void {
    const waiting = (this.#waiting.get(name) ?? 0) + change;
    if (waiting === 0) this.#waiting.delete(name);
    else this.#waiting.set(name, waiting);
  }
}

function windowName({ caller, owner, window }: RequestedWindow): string {
  return [...windowKey(caller, owner, 0), window].join(" ");
}

function rejectionOf(wanted: RequestedWindow, retryAfterMs: number): LimitRejection {
  return windowRejection(wanted, { limit: windowLimit(wanted, wanted.limits), retryAfterMs });
}

function moveFreePlaces(
  tx: Transaction,
  keys: readonly string[][],
  { full: { owner, window }, request }: { full: WindowRef; request: PlaceRequest },
): MoveResult {
  const { shard, limit, now } = request;
  const before = keys.map((key) => tx.get<StoredWindows>(key) ?? emptyWindows(owner));
  const shards = before.map((windows) => windowShard(windows, window));
  const retryAfterMs = untilPlace(shards, { limit, now });
  if (retryAfterMs !== undefined) return { retryAfterMs };
  const own = shards[shard]!;
  const places = allottedPlaces(own, { limit, now, isFirst: shard === 0 }) ?? 0;
  // A request that waited with this one has already moved enough for both.
  if (liveCount(own, now) < places) return "moved";
  const allotments = allotPlaces(shards, request);
  if (allotments === undefined) return "reserved";
  allotments.forEach((allotment, i) => {
    const windows = before[i]!;
    if (allotment === undefined || allotment === windows.allotments?.[window]) return;
    const after = { ...windows, allotments: { ...windows.allotments, [window]: allotment } };
    tx.set(keys[i]!, after, windowRetention(after, owner));
  });
  return "moved";
}
