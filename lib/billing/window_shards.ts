import type { Committer } from "../store/tx/committer.ts";
import type { Draft } from "../store/tx/operation.ts";
import type { Runtime } from "../platform/runtime.ts";
import { type ContendedKeys, forgetOldest } from "./contended_keys.ts";
import { fullWindow } from "./count_request.ts";
import { MAX_SKEW_MS } from "./ledger.ts";
import { type Limits, WINDOW_MS } from "./limits.ts";
import { SHARDS } from "./process_shard.ts";
import { LimitError, type LimitRefusal } from "./refusal.ts";
import {
  type Caller,
  emptyWindows,
  type FullShard,
  type StoredWindows,
  windowKey,
  windowLimit,
  windowRefusal,
  windowShard,
  windowsKept,
} from "./request_windows.ts";
import {
  allotPlaces,
  liveCount,
  type PlaceRequest,
  placesOf,
  untilPlace,
} from "./window_allotment.ts";

/** A request whose shard others have emptied this often in a row is refused, to try again soon. */
const MAX_TRIES = 60;
const TRY_AGAIN_MS = 1_000;
/** So often the places that requests of other processes wait for are left to them in any case. */
const PATIENT_TRIES = 4;
/** After that they are taken in this share of the tries: if all did, none would get to use them. */
const TAKEN_SHARE = 1 / 8;
/** How long a request waits for those, at most; milliseconds. */
const PAUSE_MS = 20;
/** Full windows that are remembered. */
const REMEMBERED = 10_000;

/** Whose request finds no place, and under which limits. */
interface Counted {
  caller: Caller;
  limits: Limits;
}

/** A window that all its shards together have found to be full. */
interface Full {
  limit: number;
  /** When the next place comes free, milliseconds. */
  until: number;
}

/** What came of asking the other shards for places. */
type Moved =
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
  readonly #committer: Committer;
  readonly #runtime: Runtime;
  readonly #contended: ContendedKeys;
  readonly #full = new Map<string, Full>();
  /** How many wait for a place, by the window. */
  readonly #waiting = new Map<string, number>();

  constructor(
    committer: Committer,
    options: { runtime: Runtime; contended: ContendedKeys },
  ) {
    this.#committer = committer;
    this.#runtime = options.runtime;
    this.#contended = options.contended;
  }

  /** The caller, with the shards of its windows that this process writes. */
  locate(caller: Caller): Caller {
    const address = this.#contended.shardOf(windowKey(caller, "address", 0));
    const key = caller.apiKey ? this.#contended.shardOf(windowKey(caller, "key", 0)) : 0;
    return address + key === 0 ? caller : { ...caller, shards: { address, key } };
  }

  /** What `decide` comes to once its shards have room. Throws the 429 of a window that is full. */
  async withRoom<T extends object>(
    counted: Counted,
    decide: () => Promise<T | { full: FullShard }>,
  ): Promise<Exclude<T, { full: FullShard }>> {
    for (let tries = 0;; tries++) {
      const decided = await decide();
      if (!("full" in decided)) return decided as Exclude<T, { full: FullShard }>;
      const { full } = decided;
      if (tries === MAX_TRIES) {
        const limit = windowLimit(full, counted.limits);
        throw new LimitError(windowRefusal(full, { limit, retryAfterMs: TRY_AGAIN_MS }));
      }
      const isPatient = tries < PATIENT_TRIES || this.#random() >= TAKEN_SHARE;
      await this.#makeRoom(counted, full, { isPatient });
    }
  }

  /** The refusal of an address whose window is known to be full. */
  known(
    address: string,
    { limits, scope }: { limits: Limits; scope: "ip" | "ip_resume" },
  ): LimitRefusal | undefined {
    const caller = this.locate({ address });
    const full: FullShard = { owner: "address", window: scope === "ip" ? "all" : "resumes" };
    const remembered = this.#remembered({ caller, limits }, full);
    if (remembered !== undefined) return remembered;
    const windows = this.#committer.peek<StoredWindows>(windowKey(caller, "address"));
    return fullWindow(windows, { now: this.#runtime.now(), limits, scope });
  }

  /** Gets a full shard free places of the others. Throws the 429 when no shard has one. */
  async #makeRoom(
    counted: Counted,
    full: FullShard,
    options: { isPatient: boolean },
  ): Promise<void> {
    const known = this.#remembered(counted, full);
    if (known !== undefined) throw new LimitError(known);
    const name = nameOf(counted, full);
    this.#wait(name, 1);
    const moved = await this.#move(counted, full, options).finally(() => this.#wait(name, -1));
    if (moved === "moved") return;
    if (moved === "reserved") return await this.#pause();
    const { retryAfterMs } = moved;
    const limit = windowLimit(full, counted.limits);
    this.#full.delete(name);
    this.#full.set(name, { limit, until: this.#runtime.now() + retryAfterMs });
    forgetOldest(this.#full, REMEMBERED);
    throw new LimitError(windowRefusal(full, { limit, retryAfterMs }));
  }

  async #move(
    counted: Counted,
    full: FullShard,
    { isPatient }: { isPatient: boolean },
  ): Promise<Moved> {
    const { caller, limits } = counted;
    const all = Array.from({ length: SHARDS }, (_, n) => windowKey(caller, full.owner, n));
    const limit = windowLimit(full, limits);
    const shard = caller.shards?.[full.owner] ?? 0;
    return await this.#committer.run<Moved>({
      keys: all,
      decide: (draft) => {
        const now = this.#runtime.now();
        const need = this.#waiting.get(nameOf(counted, full)) ?? 1;
        const request = { shard, limit, need, now, isPatient };
        return moveFree(draft, all, { full, request });
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
  #remembered(counted: Counted, full: FullShard): LimitRefusal | undefined {
    if (this.#full.size === 0) return undefined;
    const known = this.#full.get(nameOf(counted, full));
    const limit = windowLimit(full, counted.limits);
    const retryAfterMs = (known?.until ?? 0) - this.#runtime.now();
    const isFull = known?.limit === limit && retryAfterMs > 0;
    // A clock that was set back must shut nobody out.
    if (!isFull || retryAfterMs > WINDOW_MS + MAX_SKEW_MS + 1) return undefined;
    return windowRefusal(full, { limit, retryAfterMs });
  }

  #wait(name: string, change: number): void {
    const waiting = (this.#waiting.get(name) ?? 0) + change;
    if (waiting === 0) this.#waiting.delete(name);
    else this.#waiting.set(name, waiting);
  }
}

function nameOf({ caller }: Counted, { owner, window }: FullShard): string {
  return [...windowKey(caller, owner, 0), window].join(" ");
}

function moveFree(
  draft: Draft,
  all: readonly string[][],
  { full: { owner, window }, request }: { full: FullShard; request: PlaceRequest },
): Moved {
  const { shard, limit, now } = request;
  const before = all.map((key) => draft.get<StoredWindows>(key) ?? emptyWindows(owner));
  const shards = before.map((windows) => windowShard(windows, window));
  const retryAfterMs = untilPlace(shards, { limit, now });
  if (retryAfterMs !== undefined) return { retryAfterMs };
  const own = shards[shard]!;
  const places = placesOf(own, { limit, now, isFirst: shard === 0 }) ?? 0;
  // Another request that waited with this one has made room for both.
  if (liveCount(own.stamps, now) < places) return "moved";
  const allotments = allotPlaces(shards, request);
  if (allotments === undefined) return "reserved";
  allotments.forEach((allotment, i) => {
    const windows = before[i]!;
    if (allotment === undefined || allotment === windows.allotments?.[window]) return;
    const after = { ...windows, allotments: { ...windows.allotments, [window]: allotment } };
    draft.set(all[i]!, after, windowsKept(after, owner));
  });
  return "moved";
}
