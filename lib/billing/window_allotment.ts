import { divideFree } from "./ledger_division.ts";
import { MAX_SKEW_MS } from "./ledger.ts";
import { WINDOW_MS } from "./limits.ts";
import { countLive, liveTimes, type WindowTimes } from "./rate_window.ts";

/** How long an allotment is valid; then the window is divided again. Milliseconds. */
const ALLOTMENT_MS = 30 * 60_000;

/**
 * How long a shard is stored after a write, milliseconds. If the first shard expired, the window would
 * look undivided and one process would get the whole limit, so it must outlive all allotments.
 */
export const SHARD_RETENTION_MS = 2 * ALLOTMENT_MS;

/** How long requested places stay reserved for the requests that wait for them. Milliseconds. */
const RESERVATION_MS = 2_000;

/** The part of a window that one shard may use. */
export interface WindowAllotment {
  /** Admissions per minute, including those that still count. */
  places: number;
  /** The limit that it is part of; the allotment is void under another. */
  of: number;
  /** When it expires; the same in all shards. Milliseconds. */
  until: number;
  /** When the shard last requested places, milliseconds; 0 if never. */
  askedAt: number;
  /** Places that requests of this shard wait for; counts down as they are admitted. */
  reserved?: number | undefined;
}

export type WindowShard = WindowTimes & { allotment?: WindowAllotment | undefined };

/** A request of a full shard for free places of the others. */
export interface PlaceRequest {
  shard: number;
  limit: number;
  /** How many requests wait for a place. */
  need: number;
  now: number;
  /** Leaves other shards the places that their requests wait for. */
  respectsReservations?: boolean;
}

/** The places of one shard; `undefined` if it must request an allotment first. */
export function allottedPlaces(
  { allotment }: WindowShard,
  { limit, isFirst, now }: { limit: number; isFirst: boolean; now: number },
): number | undefined {
  // An undivided window is its first shard.
  if (allotment === undefined) return isFirst ? limit : undefined;
  return isValid(allotment, { limit, now }) ? allotment.places : undefined;
}

/** Milliseconds until a place becomes free in any shard; `undefined` if one is free. */
export function untilPlace(
  shards: readonly WindowShard[],
  { limit, now }: { limit: number; now: number },
): number | undefined {
  const excess = shards.reduce((sum, shard) => sum + liveCount(shard, now), 0) - limit;
  if (excess < 0) return undefined;
  // A place becomes free when the oldest of the last `limit` leaves; with limit 0, never.
  const at = { now, rule: { windowMs: WINDOW_MS }, most: excess + 1 };
  const oldest = shards.flatMap((shard) => liveTimes(shard, at)).sort((a, b) => a - b);
  return (limit === 0 ? now : oldest[excess]!) + WINDOW_MS + 1 - now;
}

/**
 * Divides the free places: the requesting shard gets what it needs, as far as available, and the rest is
 * divided equally among the active shards. A shard keeps the places it used in the last minute. Returns
 * the new allotment of each shard, the same object if unchanged; `undefined` if all free places are
 * reserved for requests of other shards.
 */
export function allotPlaces(
  shards: readonly WindowShard[],
  request: PlaceRequest,
): (WindowAllotment | undefined)[] | undefined {
  const { shard, limit, need, now } = request;
  const kept = shards.map((one, i) => liveCount(one, now) + reservedOf(one, i, request));
  const free = Math.max(0, limit - kept.reduce((sum, one) => sum + one, 0));
  if (free === 0) return undefined;
  const active = shards.map((one, i) => i === shard || isActive(one, now));
  const give = divideFree(free, need, active.filter(Boolean).length);
  const until = allottedUntil(shards[0]!, { limit, now });
  return shards.map((one, i) => {
    // The first shard always takes part: without an allotment it would have the whole limit.
    if (i > 0 && i !== shard && one.allotment === undefined) return undefined;
    const own = i === shard;
    const next: WindowAllotment = {
      places: kept[i]! + (own ? give.own : active[i] ? give.other : 0),
      of: limit,
      until,
      askedAt: own ? now : one.allotment?.askedAt ?? 0,
      reserved: own ? Math.min(need, give.own) : reservedOf(one, i, request),
    };
    return isSame(one.allotment, next) ? one.allotment : next;
  });
}

export function afterAdmission(allotment: WindowAllotment): WindowAllotment {
  return { ...allotment, reserved: Math.max(0, (allotment.reserved ?? 0) - 1) };
}

/** The places reserved in another shard for requests of its process. */
function reservedOf(
  one: WindowShard,
  index: number,
  { shard, now, limit, respectsReservations = false }: PlaceRequest,
): number {
  const { allotment } = one;
  if (!respectsReservations || index === shard || allotment === undefined) return 0;
  const { reserved = 0, places, askedAt } = allotment;
  if (!isValid(allotment, { limit, now }) || askedAt + RESERVATION_MS <= now) return 0;
  return Math.max(0, Math.min(reserved, places - liveCount(one, now)));
}

export function liveCount(times: WindowTimes, now: number): number {
  return countLive(times, { now, rule: { windowMs: WINDOW_MS } });
}

/** All allotments end at the same time, so that the first shard's never ends before the others. */
function allottedUntil(
  { allotment }: WindowShard,
  { limit, now }: { limit: number; now: number },
): number {
  if (allotment !== undefined && isValid(allotment, { limit, now })) return allotment.until;
  return now + ALLOTMENT_MS;
}

/** An allotment that ends too far in the future was made by a process with a wrong clock. */
function isValid(
  { of, until }: WindowAllotment,
  { limit, now }: { limit: number; now: number },
): boolean {
  return of === limit && now < until && until <= now + ALLOTMENT_MS + MAX_SKEW_MS;
}

/** A shard is active if it requested places or admitted anything within the last minute. */
function isActive(shard: WindowShard, now: number): boolean {
  return (shard.allotment?.askedAt ?? 0) + WINDOW_MS > now || liveCount(shard, now) > 0;
}

function isSame(a: WindowAllotment | undefined, b: WindowAllotment): boolean {
  return a !== undefined && a.places === b.places && a.of === b.of && a.until === b.until &&
    a.askedAt === b.askedAt && a.reserved === b.reserved;
}
