import { keys } from "../store/keys/keys.ts";
import type { Transaction } from "../store/tx/operation.ts";
import type { LimitRejection } from "./limit_error.ts";
import { type Limits, type LimitScope, WINDOW_MS } from "./limits.ts";
import type { PackedStamps } from "./packed_stamps.ts";
import {
  takeFromWindow,
  type WindowStamps,
  type WindowStatus,
  windowStatus,
  type WindowTimes,
} from "./rate_window.ts";
import {
  afterAdmission,
  allottedPlaces,
  SHARD_RETENTION_MS,
  type WindowAllotment,
  type WindowShard,
} from "./window_allotment.ts";

const WINDOW_SECONDS = WINDOW_MS / 1000;
/** An address's windows are garbage once all their stamps have expired. */
const RETENTION_MS = 2 * WINDOW_MS;

/** An API key has `all` only. */
export type WindowName = "all" | "chat" | "resumes";
const WINDOWS: readonly WindowName[] = ["all", "chat", "resumes"];

/**
 * The maximum limit of a window whose times are all stored as a list, which every release reads. A longer
 * list would not fit into the 64 KiB of a stored value.
 */
export const MAX_LISTED_STAMPS = 6_000;

/** The windows of one address or API key, or one shard of them. */
export interface StoredWindows {
  v: 1;
  all: WindowStamps;
  chat?: WindowStamps;
  /** Resumed streams; absent from records of earlier releases. */
  resumes?: WindowStamps;
  /** The earlier times of a window of more than `MAX_LISTED_STAMPS` a minute; the lists have the latest. */
  packed?: Partial<Record<WindowName, PackedStamps>>;
  /** Ids of an address's latest requests, to recognize a commit whose outcome was unknown. */
  ids?: readonly number[];
  /** The network of the latest request, for people who look after the key; of API keys only. */
  from?: string;
  /** Of windows that are divided among shards. */
  allotments?: Partial<Record<WindowName, WindowAllotment>>;
}

/** Who is counted: an address in its stored form (a keyed hash), and the API key if there is one. */
export interface Caller {
  address: string;
  apiKey?: { tenant: string; id: string } | undefined;
  /** The network of the address, stored with the window of the API key. */
  network?: string | undefined;
  /** The shards of their windows that this process writes; by default the first ones. */
  shards?: Readonly<Record<WindowOwner, number>> | undefined;
}

export type WindowOwner = "address" | "key";

export type WindowRef = { owner: WindowOwner; window: WindowName };

/** The result of taking one place; `full` if the shard needs places from the other shards first. */
export type TakeResult =
  | { times: WindowTimes; status: WindowStatus }
  | { rejected: LimitRejection }
  | { full: WindowRef };

const SCOPES: Record<WindowOwner, Record<WindowName, LimitScope>> = {
  address: { all: "ip", chat: "ip_chat", resumes: "ip_resume" },
  key: { all: "key", chat: "key", resumes: "key" },
};

const LIMITS: Record<WindowOwner, Record<WindowName, keyof Limits>> = {
  address: { all: "ipRequests", chat: "ipMessages", resumes: "ipResumes" },
  key: { all: "keyRequests", chat: "keyRequests", resumes: "keyRequests" },
};

const KEYS: Record<WindowOwner, (caller: Caller, shard: number) => string[]> = {
  address: ({ address }, shard) => keys.addressWindows(address, shard),
  key: ({ apiKey }, shard) => keys.apiKeyWindow(apiKey!.tenant, apiKey!.id, shard),
};

/** Where the windows of an address or API key are stored; by default the shard of this process. */
export function windowKey(
  caller: Caller,
  owner: WindowOwner,
  shard: number = caller.shards?.[owner] ?? 0,
): string[] {
  return KEYS[owner](caller, shard);
}

export function windowLimit({ owner, window }: WindowRef, limits: Limits): number {
  return limits[LIMITS[owner][window]]!;
}

export function emptyWindows(owner: WindowOwner): StoredWindows {
  return owner === "address" ? { v: 1, all: [], chat: [], ids: [] } : { v: 1, all: [] };
}

export function windowShard(windows: StoredWindows, name: WindowName): WindowShard {
  const times = { stamps: windows[name] ?? [], packed: windows.packed?.[name] };
  return { ...times, allotment: windows.allotments?.[name] };
}

export type CountingContext = { caller: Caller; owner: WindowOwner; limits: Limits; now: number };

/** Counts in this process's shard of the windows of one address or API key. */
export class WindowCounter {
  readonly stored: StoredWindows;
  readonly #tx: Transaction;
  readonly #key: string[];
  readonly #context: CountingContext;

  constructor(tx: Transaction, context: CountingContext) {
    this.#tx = tx;
    this.#context = context;
    this.#key = windowKey(context.caller, context.owner);
    this.stored = tx.get<StoredWindows>(this.#key) ?? emptyWindows(context.owner);
  }

  /** Takes one place; nothing is stored before `record`. */
  take(window: WindowName): TakeResult {
    const { owner, now } = this.#context;
    const { limit, places, ...times } = this.#shard(window);
    if (places === undefined) return { full: { owner, window } };
    const isPacked = limit > MAX_LISTED_STAMPS;
    const rule = { limit: places, windowMs: WINDOW_MS, isPacked };
    const taken = takeFromWindow(times, { now, rule });
    if (taken.admitted) return { times: taken.times, status: { ...taken.status, limit } };
    // Only all shards together know whether the limit is reached.
    if (this.stored.allotments?.[window] !== undefined) return { full: { owner, window } };
    const { retryAfterMs } = taken;
    return { rejected: windowRejection({ owner, window }, { limit, retryAfterMs }) };
  }

  status(window: WindowName): WindowStatus {
    const { limit, places = 0, ...times } = this.#shard(window);
    const rule = { limit: places, windowMs: WINDOW_MS };
    return { ...windowStatus(times, { now: this.#context.now, rule }), limit };
  }

  /** Stores the windows that a place was taken in. */
  record(
    taken: Partial<Record<WindowName, WindowTimes>>,
    request: Pick<StoredWindows, "ids" | "from"> = {},
  ): void {
    const next: StoredWindows = { ...this.stored, ...request };
    for (const name of WINDOWS) {
      const times = taken[name];
      if (times === undefined) continue;
      next[name] = times.stamps;
      setPacked(next, name, times.packed);
      const allotment = this.stored.allotments?.[name];
      if (!allotment?.reserved) continue;
      next.allotments = { ...next.allotments, [name]: afterAdmission(allotment) };
    }
    this.#tx.set(this.#key, next, windowRetention(next, this.#context.owner));
  }

  #shard(window: WindowName): WindowShard & { limit: number; places: number | undefined } {
    const { caller, owner, limits, now } = this.#context;
    const limit = windowLimit({ owner, window }, limits);
    const shard = windowShard(this.stored, window);
    const isFirst = (caller.shards?.[owner] ?? 0) === 0;
    return { ...shard, limit, places: allottedPlaces(shard, { limit, isFirst, now }) };
  }
}

/** A record without packed times is as earlier releases write it. */
function setPacked(
  windows: StoredWindows,
  name: WindowName,
  times: PackedStamps | undefined,
): void {
  if (times === undefined && windows.packed === undefined) return;
  const { [name]: _before, ...others } = windows.packed ?? {};
  if (times !== undefined) windows.packed = { ...others, [name]: times };
  else if (Object.keys(others).length > 0) windows.packed = others;
  else delete windows.packed;
}

/** Write options: a key's windows are permanent, because the newest stamp is the key's last use. */
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
