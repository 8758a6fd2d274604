import type { Transaction } from "../store/tx/operation.ts";
import { keys } from "../store/keys/keys.ts";
import { type Limits, WINDOW_MS } from "./limits.ts";
import {
  takeFromWindow,
  type WindowStamps,
  type WindowStatus,
  windowStatus,
} from "./rate_window.ts";
import type { LimitRejection, LimitScope } from "./limit_error.ts";
import {
  afterAdmission,
  allottedPlaces,
  SHARD_RETENTION_MS,
  type WindowAllotment,
  type WindowShard,
} from "./window_allotment.ts";

const WINDOW_SECONDS = WINDOW_MS / 1000;
/** An address's windows are garbage once everything in them has left. */
const RETENTION_MS = 2 * WINDOW_MS;

/** An API key has `all` alone. */
export type WindowName = "all" | "chat" | "resumes";
const WINDOWS: readonly WindowName[] = ["all", "chat", "resumes"];

/** The windows of one address or API key in one document; of a divided one, one shard. */
export interface StoredWindows {
  v: 1;
  all: WindowStamps;
  chat?: WindowStamps;
  /** Streams resumed; absent from what earlier releases stored. */
  resumes?: WindowStamps;
  /** Ids of an address's latest requests: one whose commit had an unknown outcome recognises itself. */
  ids?: readonly number[];
  /** Of the windows that are divided. */
  allotments?: Partial<Record<WindowName, WindowAllotment>>;
}

/** Who is counted: an address as it is stored (never in the clear), and the API key if there is one. */
export interface Caller {
  address: string;
  apiKey?: { tenant: string; id: string } | undefined;
  /** Which shards of their windows this process writes; the first ones unless they are divided. */
  shards?: Readonly<Record<WindowOwner, number>> | undefined;
}

export type WindowOwner = "address" | "key";

/** A window whose shard needs more of the places that the other shards have. */
export interface WindowRef {
  owner: WindowOwner;
  window: WindowName;
}

/** What came of one try to take a place in a shard. */
export type TakeResult =
  | { stamps: WindowStamps; status: WindowStatus }
  | { rejected: LimitRejection }
  | { full: WindowRef };

const SCOPES: Record<WindowOwner, Record<WindowName, LimitScope>> = {
  address: { all: "ip", chat: "ip_chat", resumes: "ip_resume" },
  key: { all: "key", chat: "key", resumes: "key" },
};

/** Where the windows of an address or API key are stored; the shard this process writes unless named. */
export function windowKey(
  { address, apiKey, shards }: Caller,
  owner: WindowOwner,
  shard: number = shards?.[owner] ?? 0,
): string[] {
  if (owner === "address") return keys.addressWindows(address, shard);
  return keys.apiKeyWindow(apiKey!.tenant, apiKey!.id, shard);
}

export function windowLimit({ owner, window }: WindowRef, limits: Limits): number {
  if (owner === "key") return limits.keyRequests;
  if (window === "all") return limits.ipRequests;
  return window === "chat" ? limits.ipMessages : limits.ipResumes;
}

/** What nobody has been counted in. */
export function emptyWindows(owner: WindowOwner): StoredWindows {
  return owner === "address" ? { v: 1, all: [], chat: [], ids: [] } : { v: 1, all: [] };
}

/** One window of a shard. */
export function windowShard(windows: StoredWindows, name: WindowName): WindowShard {
  return { stamps: windows[name] ?? [], allotment: windows.allotments?.[name] };
}

/** One address or API key to be counted in. */
export interface CountingContext {
  caller: Caller;
  owner: WindowOwner;
  limits: Limits;
  now: number;
}

/** The shard of an address's or API key's windows that this process counts in. */
export class WindowCounter {
  readonly stored: StoredWindows;
  readonly #draft: Transaction;
  readonly #key: string[];
  readonly #context: CountingContext;

  constructor(draft: Transaction, counting: CountingContext) {
    this.#draft = draft;
    this.#context = counting;
    this.#key = windowKey(counting.caller, counting.owner);
    this.stored = draft.get<StoredWindows>(this.#key) ?? emptyWindows(counting.owner);
  }

  /** Takes one place, without noting it. */
  take(window: WindowName): TakeResult {
    const { owner, now } = this.#context;
    const { limit, places, stamps } = this.#shard(window);
    if (places === undefined) return { full: { owner, window } };
    const taken = takeFromWindow(stamps, { now, rule: { limit: places, windowMs: WINDOW_MS } });
    if (taken.admitted) return { stamps: taken.stamps, status: { ...taken.status, limit } };
    // Only all shards together can tell whether the limit is reached.
    if (this.stored.allotments?.[window] !== undefined) return { full: { owner, window } };
    return {
      rejected: windowRejection({ owner, window }, { limit, retryAfterMs: taken.retryAfterMs }),
    };
  }

  /** What this shard would still take. */
  status(window: WindowName): WindowStatus {
    const { limit, places = 0, stamps } = this.#shard(window);
    const rule = { limit: places, windowMs: WINDOW_MS };
    return { ...windowStatus(stamps, { now: this.#context.now, rule }), limit };
  }

  /** Stores what was taken. */
  record(taken: Omit<StoredWindows, "v" | "all"> & { all?: WindowStamps }): void {
    const next: StoredWindows = { ...this.stored, ...taken };
    for (const name of WINDOWS) {
      const allotment = this.stored.allotments?.[name];
      if (!allotment?.reserved || next[name] === this.stored[name]) continue;
      next.allotments = { ...next.allotments, [name]: afterAdmission(allotment) };
    }
    this.#draft.set(this.#key, next, windowRetention(next, this.#context.owner));
  }

  #shard(window: WindowName): WindowShard & { limit: number; places: number | undefined } {
    const { caller, owner, limits, now } = this.#context;
    const limit = windowLimit({ owner, window }, limits);
    const shard = windowShard(this.stored, window);
    const isFirst = (caller.shards?.[owner] ?? 0) === 0;
    return { ...shard, limit, places: allottedPlaces(shard, { limit, isFirst, now }) };
  }
}

/** A key's window stays: its newest stamp is when the key was last used. */
export function windowRetention(
  { allotments }: StoredWindows,
  owner: WindowOwner,
): { expireIn?: number } {
  if (owner === "key") return {};
  return { expireIn: allotments === undefined ? RETENTION_MS : SHARD_RETENTION_MS };
}

export function windowRejection(
  { owner, window }: WindowRef,
  { limit, retryAfterMs }: { limit: number; retryAfterMs: number },
): LimitRejection {
  return { scope: SCOPES[owner][window], limit, windowSeconds: WINDOW_SECONDS, retryAfterMs };
}
