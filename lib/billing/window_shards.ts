import type { GroupCommitter } from "../store/tx/group_committer.ts";
import type { Transaction } from "../store/tx/operation.ts";
import type { Runtime } from "../platform/runtime.ts";
import { type ContendedKeys, evictOldest } from "./contended_keys.ts";
import { fullWindowRejection } from "./count_request.ts";
import { MAX_SKEW_MS } from "./ledger.ts";
import { type Limits, WINDOW_MS } from "./limits.ts";
import { SHARDS } from "./process_shard.ts";
import { LimitError, type LimitRejection } from "./limit_error.ts";
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

/** A request whose shard others have emptied this often in a row is refused, to try again soon. */
const MAX_ATTEMPTS = 60;
const RETRY_AFTER_MS = 1_000;
/** So often the places that requests of other processes wait for are left to them in any case. */
const POLITE_ATTEMPTS = 4;
/** After that they are taken in this share of the tries: if all did, none would get to use them. */
const PREEMPT_SHARE = 1 / 8;
/** How long a request waits for those, at most; milliseconds. */
const PAUSE_MS = 20;
/** Full windows that are remembered. */
const MAX_REMEMBERED = 10_000;

/** Whose request finds no place, and under which limits. */
interface WindowRequest {
  caller: Caller;
  limits: Limits;
}

/** A window that all its shards together have found to be full. */
interface FullWindow {
  limit: number;
  /** When the next place comes free, milliseconds. */
  until: number;
}

/** What came of asking the other shards for places. */
type MoveResult =
  | "moved"
  /** Requests of other processes wait for all that is free. */
  | "reserved"
  /** No shard has a free place for so long, milliseconds. */
  | { retryAfterMs: number };

/**
 * Divides the request windows of an address or API key that several processes serve at the same time,
 * as `LedgerShards` does a tenant's ledger: each process has a shard with a number of places, and one that
 * has none left takes what is free in all shards, in one transaction that checks every one of them. Only
 * free places move, so that no minute, wherever it begins, sees more than the limit.
 */
export class WindowShards {
  readonly #committer: GroupCommitter;
  readonly #runtime: Runtime;
  readonly #contended: ContendedKeys;
  readonly #full = new Map<string, FullWindow>();
  /** How many wait for a place, by the window. */
  readonly #waiting = new Map<string, number>();

  constructor(
    committer: GroupCommitter,
    options: { runtime: Runtime; contended: ContendedKeys },
  ) {
    this.#committer = committer;
    this.#runtime = options.runtime;
    this.#contended = options.contended;
  }

  /** The caller, with the shards of its windows that this process writes. */
  assignShards(caller: Caller): Caller {
    const address = this.#contended.shardOf(windowKey(caller, "address", 0));
    const key = caller.apiKey ? this.#contended.shardOf(windowKey(caller, "key", 0)) : 0;
    return address + key === 0 ? caller : { ...caller, shards: { address, key } };
  }

  /** What `decide` comes to once its shards have room. Throws the 429 of a window that is full. */
  async withCapacity<T extends object>(
    counted: WindowRequest,
    decide: () => Promise<T | { full: WindowRef }>,
  ): Promise<Exclude<T, { full: WindowRef }>> {
    for (let tries = 0;; tries++) {
      const decided = await decide();
      if (!("full" in decided)) return decided as Exclude<T, { full: WindowRef }>;
      const { full } = decided;
      if (tries === MAX_ATTEMPTS) {
        const limit = windowLimit(full, counted.limits);
        throw new LimitError(windowRejection(full, { limit, retryAfterMs: RETRY_AFTER_MS }));
      }
      const respectsReservations = tries < POLITE_ATTEMPTS || this.#random() >= PREEMPT_SHARE;
      await this.#makeCapacity(counted, full, { respectsReservations });
    }
  }

  /** The refusal of an address whose window is known to be full. */
  knownFull(
    address: string,
    { limits, scope }: { limits: Limits; scope: "ip" | "ip_resume" },
  ): LimitRejection | undefined {
    const caller = this.assignShards({ address });
    const full: WindowRef = { owner: "address", window: scope === "ip" ? "all" : "resumes" };
    const remembered = this.#remembered({ caller, limits }, full);
    if (remembered !== undefined) return remembered;
    const windows = this.#committer.getCached<StoredWindows>(windowKey(caller, "address"));
    return fullWindowRejection(windows, { now: this.#runtime.now(), limits, scope });
  }

  /** Gets a full shard free places of the others. Throws the 429 when no shard has one. */
  async #makeCapacity(
    counted: WindowRequest,
    full: WindowRef,
    options: { respectsReservations: boolean },
  ): Promise<void> {
    const known = this.#remembered(counted, full);
    if (known !== undefined) throw new LimitError(known);
    const name = windowName(counted, full);
    this.#wait(name, 1);
    const moved = await this.#move(counted, full, options).finally(() => this.#wait(name, -1));
    if (moved === "moved") return;
    if (moved === "reserved") return await this.#pause();
    const { retryAfterMs } = moved;
    const limit = windowLimit(full, counted.limits);
    this.#full.delete(name);
    this.#full.set(name, { limit, until: this.#runtime.now() + retryAfterMs });
    evictOldest(this.#full, MAX_REMEMBERED);
    throw new LimitError(windowRejection(full, { limit, retryAfterMs }));
  }

  async #move(
    counted: WindowRequest,
    full: WindowRef,
    { respectsReservations }: { respectsReservations: boolean },
  ): Promise<MoveResult> {
    const { caller, limits } = counted;
    const all = Array.from({ length: SHARDS }, (_, n) => windowKey(caller, full.owner, n));
    const limit = windowLimit(full, limits);
    const shard = caller.shards?.[full.owner] ?? 0;
    return await this.#committer.run<MoveResult>({
      keys: all,
      decide: (draft) => {
        const now = this.#runtime.now();
        const need = this.#waiting.get(windowName(counted, full)) ?? 1;
        const request = { shard, limit, need, now, respectsReservations };
        return moveFreePlaces(draft, all, { full, request });
      },
      // Whether there is room now is decided on the shard.
      isFinal: (moved) => moved === "moved",
    });
  }

  /** Waits a moment, with jitter so that processes do not go in step. */
  #pause(): Promise<void> {
    return this.#runtime.sleep(Math.ceil(PAUSE_MS * (0.5 + this.#random() / 2)));
  }

  /** From 0 to 1. */
  #random(): number {
    return this.#runtime.randomBytes(1)[0]! / 255;
  }

  /** A window only fills up until time passes: a flood of one that is full costs the store nothing. */
  #remembered(counted: WindowRequest, full: WindowRef): LimitRejection | undefined {
    if (this.#full.size === 0) return undefined;
    const known = this.#full.get(windowName(counted, full));
    const limit = windowLimit(full, counted.limits);
    const retryAfterMs = (known?.until ?? 0) - this.#runtime.now();
    const isFull = known?.limit === limit && retryAfterMs > 0;
    // A clock that was set back must shut nobody out.
    if (!isFull || retryAfterMs > WINDOW_MS + MAX_SKEW_MS + 1) return undefined;
    return windowRejection(full, { limit, retryAfterMs });
  }

  #wait(name: string, change: number): void {
    const waiting = (this.#waiting.get(name) ?? 0) + change;
    if (waiting === 0) this.#waiting.delete(name);
    else this.#waiting.set(name, waiting);
  }
}

function windowName({ caller }: WindowRequest, { owner, window }: WindowRef): string {
  return [...windowKey(caller, owner, 0), window].join(" ");
}

function moveFreePlaces(
  draft: Transaction,
  all: readonly string[][],
  { full: { owner, window }, request }: { full: WindowRef; request: PlaceRequest },
): MoveResult {
  const { shard, limit, now } = request;
  const before = all.map((key) => draft.get<StoredWindows>(key) ?? emptyWindows(owner));
  const shards = before.map((windows) => windowShard(windows, window));
  const retryAfterMs = untilPlace(shards, { limit, now });
  if (retryAfterMs !== undefined) return { retryAfterMs };
  const own = shards[shard]!;
  const places = allottedPlaces(own, { limit, now, isFirst: shard === 0 }) ?? 0;
  // Another request that waited with this one has made room for both.
  if (liveCount(own.stamps, now) < places) return "moved";
  const allotments = allotPlaces(shards, request);
  if (allotments === undefined) return "reserved";
  allotments.forEach((allotment, i) => {
    const windows = before[i]!;
    if (allotment === undefined || allotment === windows.allotments?.[window]) return;
    const after = { ...windows, allotments: { ...windows.allotments, [window]: allotment } };
    draft.set(all[i]!, after, windowRetention(after, owner));
  });
  return "moved";
}
