import { divideFree } from "./ledger_division.ts";
import { MAX_SKEW_MS } from "./ledger.ts";
import { WINDOW_MS } from "./limits.ts";
import { countedStamps, takeFromWindow, type WindowStamps } from "./rate_window.ts";

/** An allotment is valid for so long; then the shards share the window out again. Milliseconds. */
const ALLOTMENT_MS = 30 * 60_000;

/**
 * How long a shard is kept after it was written, milliseconds. A first shard that expired would look
 * undivided and give the whole limit to one process, so it outlives every allotment beside it.
 */
export const SHARD_RETENTION_MS = 2 * ALLOTMENT_MS;

/** Places that were asked for are left to those that wait for so long. Milliseconds. */
const RESERVATION_MS = 2_000;

/** The part of a window that one shard may use. */
export interface WindowAllotment {
  /** Admissions a minute, those that still count included. */
  places: number;
  /** The limit that it is a part of; void under another. */
  of: number;
  /** Void from then on; the same in all shards. Milliseconds. */
  until: number;
  /** When the shard last asked for more, milliseconds; 0 when it never did. */
  askedAt: number;
  /** Places that requests of this shard wait for; they count down as it admits. */
  reserved?: number | undefined;
}

/** One shard of one window. */
export interface WindowShard {
  stamps: WindowStamps;
  allotment?: WindowAllotment | undefined;
}

/** A shard that has no place left asks for one. */
export interface PlaceRequest {
  /** The index of the shard that asks. */
  shard: number;
  limit: number;
  /** How many admissions wait for a place. */
  need: number;
  now: number;
  /** It leaves other shards the places that requests of theirs wait for. */
  respectsReservations?: boolean;
}

/** The places of one shard; nothing when it has to ask for an allotment first. */
export function allottedPlaces(
  { allotment }: WindowShard,
  { limit, isFirst, now }: { limit: number; isFirst: boolean; now: number },
): number | undefined {
  // Before it is divided a window is its first shard alone.
  if (allotment === undefined) return isFirst ? limit : undefined;
  return isValid(allotment, { limit, now }) ? allotment.places : undefined;
}

/** How long until a place comes free in any shard, milliseconds; nothing when one is free. */
export function untilPlace(
  shards: readonly WindowShard[],
  { limit, now }: { limit: number; now: number },
): number | undefined {
  const stamps = shards.flatMap((shard) => shard.stamps).sort((a, b) => a - b);
  const tried = takeFromWindow(stamps, { now, rule: { limit, windowMs: WINDOW_MS } });
  return tried.admitted ? undefined : tried.retryAfterMs;
}

/**
 * Divides the free places: the shard that asks gets what it needs, as far as there are so many, and the
 * active ones equal parts of the rest. What a shard has used in the last minute stays its own. Answers
 * the new allotment of each shard, the same object where nothing changes; or nothing at all when requests
 * of other shards wait for all that is free.
 */
export function allotPlaces(
  shards: readonly WindowShard[],
  request: PlaceRequest,
): (WindowAllotment | undefined)[] | undefined {
  const { shard, limit, need, now } = request;
  const kept = shards.map((one, i) => liveCount(one.stamps, now) + reservedOf(one, i, request));
  const free = Math.max(0, limit - kept.reduce((sum, one) => sum + one, 0));
  if (free === 0) return undefined;
  const active = shards.map((one, i) => i === shard || isActive(one, now));
  const give = divideFree(free, need, active.filter(Boolean).length);
  const until = allottedUntil(shards[0]!, { limit, now });
  return shards.map((one, i) => {
    // The first shard always counts: without an allotment it would have the limit to itself.
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

/** The allotment of a shard that has let one more in. */
export function afterAdmission(allotment: WindowAllotment): WindowAllotment {
  return { ...allotment, reserved: Math.max(0, (allotment.reserved ?? 0) - 1) };
}

/** What is left to a shard because requests of its process wait for it. */
function reservedOf(
  { stamps, allotment }: WindowShard,
  index: number,
  { shard, now, limit, respectsReservations = false }: PlaceRequest,
): number {
  if (!respectsReservations || index === shard || allotment === undefined) return 0;
  const { reserved = 0, places, askedAt } = allotment;
  if (!isValid(allotment, { limit, now }) || askedAt + RESERVATION_MS <= now) return 0;
  return Math.max(0, Math.min(reserved, places - liveCount(stamps, now)));
}

/** Those stamps of a shard that count now. */
export function liveCount(stamps: WindowStamps, now: number): number {
  return countedStamps(stamps, { now, rule: { windowMs: WINDOW_MS } }).length;
}

/** All shards are allotted until the same time, so that the first one is never void or gone before. */
function allottedUntil(
  { allotment }: WindowShard,
  { limit, now }: { limit: number; now: number },
): number {
  if (allotment !== undefined && isValid(allotment, { limit, now })) return allotment.until;
  return now + ALLOTMENT_MS;
}

/** One that ends later than any clock could have said was made by a wrong one. */
function isValid(
  { of, until }: WindowAllotment,
  { limit, now }: { limit: number; now: number },
): boolean {
  return of === limit && now < until && until <= now + ALLOTMENT_MS + MAX_SKEW_MS;
}

/** A shard that has asked, or let anybody in, within the last minute gets a part of what is free. */
function isActive({ stamps, allotment }: WindowShard, now: number): boolean {
  return (allotment?.askedAt ?? 0) + WINDOW_MS > now || liveCount(stamps, now) > 0;
}

function isSame(a: WindowAllotment | undefined, b: WindowAllotment): boolean {
  return a !== undefined && a.places === b.places && a.of === b.of && a.until === b.until &&
    a.askedAt === b.askedAt && a.reserved === b.reserved;
}
