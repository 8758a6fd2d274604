import { divide } from "./division.ts";
import { MAX_SKEW_MS } from "./ledger.ts";
import { WINDOW_MS } from "./limits.ts";
import { liveStamps, takeFromWindow, type WindowStamps } from "./rate_window.ts";

/** An allotment is valid for so long; then the shards share the window out again. Milliseconds. */
const ALLOTTED_MS = 30 * 60_000;

/**
 * How long a shard is kept after it was written, milliseconds. A first shard that expired would look
 * undivided and give the whole limit to one process, so it outlives every allotment beside it.
 */
export const SHARD_KEPT_MS = 2 * ALLOTTED_MS;

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
}

/** The places of one shard; nothing when it has to ask for an allotment first. */
export function placesOf(
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
 * the new allotment of each shard, the same object where nothing changes.
 */
export function allotPlaces(
  shards: readonly WindowShard[],
  { shard, limit, need, now }: PlaceRequest,
): (WindowAllotment | undefined)[] {
  const used = shards.map(({ stamps }) => liveCount(stamps, now));
  const free = Math.max(0, limit - used.reduce((sum, one) => sum + one, 0));
  const active = shards.map((one, i) => i === shard || isActive(one, now));
  const give = divide(free, { need, active });
  const until = endOf(shards[0]!, { limit, now });
  return shards.map(({ allotment }, i) => {
    // The first shard always counts: without an allotment it would have the limit to itself.
    const isMember = i === 0 || i === shard || allotment !== undefined;
    if (!isMember) return undefined;
    const own = i === shard;
    const places = used[i]! + (own ? give.own : active[i] ? give.other : 0);
    const askedAt = own ? now : allotment?.askedAt ?? 0;
    const next = { places, of: limit, until, askedAt };
    return isSame(allotment, next) ? allotment : next;
  });
}

/** Those stamps of a shard that count now. */
export function liveCount(stamps: WindowStamps, now: number): number {
  return liveStamps(stamps, { now, rule: { windowMs: WINDOW_MS } }).length;
}

/** All shards are allotted until the same time, so that the first one is never void or gone before. */
function endOf(
  { allotment }: WindowShard,
  { limit, now }: { limit: number; now: number },
): number {
  if (allotment !== undefined && isValid(allotment, { limit, now })) return allotment.until;
  return now + ALLOTTED_MS;
}

/** One that ends later than any clock could have said was made by a wrong one. */
function isValid(
  { of, until }: WindowAllotment,
  { limit, now }: { limit: number; now: number },
): boolean {
  return of === limit && now < until && until <= now + ALLOTTED_MS + MAX_SKEW_MS;
}

/** A shard that has asked, or let anybody in, within the last minute gets a part of what is free. */
function isActive({ stamps, allotment }: WindowShard, now: number): boolean {
  return (allotment?.askedAt ?? 0) + WINDOW_MS > now || liveCount(stamps, now) > 0;
}

function isSame(a: WindowAllotment | undefined, b: WindowAllotment): boolean {
  return a !== undefined && a.places === b.places && a.of === b.of && a.until === b.until &&
    a.askedAt === b.askedAt;
}
