import { MAX_SKEW_MS } from "./ledger.ts";
import {
  dropBefore,
  newestOf,
  type PackedStamps,
  packStamps,
  stampAt,
  unpackStamps,
} from "./packed_stamps.ts";

/** At most `limit` in any `windowMs`. */
export type WindowRule = {
  readonly limit: number;
  readonly windowMs: number;
  /** Packs all but the latest times, for a limit of more times than one stored value takes as a list. */
  readonly isPacked?: boolean;
};

/** Times of admissions in milliseconds, oldest first. */
export type WindowStamps = readonly number[];

/** The times of the latest admissions, never more than the limit: first the packed ones, then the list. */
export interface WindowTimes {
  readonly stamps: WindowStamps;
  readonly packed?: PackedStamps | undefined;
}

/** The remaining capacity of a window, for the `RateLimit` header. */
export interface WindowStatus {
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds until one more place becomes free; 0 if none is taken. */
  readonly resetMs: number;
}

export type WindowResult =
  | { admitted: true; times: WindowTimes; status: WindowStatus }
  | { admitted: false; retryAfterMs: number };

type At = { now: number; rule: WindowRule };

/** A list that has grown to `max` is packed except for its latest times, so that few admissions pack. */
const UNPACKED = { max: 256, latest: 64 } as const;

/**
 * A true sliding window: it stores the exact time of each admission, so that no 60 seconds, wherever they
 * begin, exceed the limit. A rejection changes nothing, so retrying early does not prolong the wait.
 */
export function takeFromWindow(times: WindowTimes, at: At): WindowResult {
  const { now, rule } = at;
  const counted = countedTimes(times, at);
  const count = countOf(counted);
  if (count >= rule.limit) {
    // A place becomes free when the oldest of the last `limit` leaves; with limit 0, never.
    const oldest = timeAt(counted, count - rule.limit) ?? now;
    return { admitted: false, retryAfterMs: oldest + rule.windowMs + 1 - now };
  }
  const { stamps } = counted;
  // Stamps of a faster clock become stamps of now: the list stays sorted, and they expire no later.
  for (let i = stamps.length - 1; i >= 0 && stamps[i]! > now; i--) stamps[i] = now;
  stamps.push(now);
  return { admitted: true, times: toStored(counted, rule), status: toStatus(counted, at) };
}

export function windowStatus(times: WindowTimes, at: At): WindowStatus {
  return toStatus(countedTimes(times, at), at);
}

function toStatus(counted: WindowTimes, { now, rule }: At): WindowStatus {
  const remaining = Math.max(0, rule.limit - countOf(counted));
  const oldest = timeAt(counted, 0);
  const resetMs = oldest === undefined ? 0 : oldest + rule.windowMs + 1 - now;
  return { limit: rule.limit, remaining, resetMs };
}

/** How many admissions still count. */
export function countLive(
  times: WindowTimes,
  at: { now: number; rule: Pick<WindowRule, "windowMs"> },
): number {
  return countOf(countedTimes(times, at));
}

/** The first `most` of the admissions that still count. */
export function liveTimes(
  times: WindowTimes,
  { most, ...at }: { now: number; rule: Pick<WindowRule, "windowMs">; most: number },
): number[] {
  const { packed, stamps } = countedTimes(times, at);
  const first = unpackStamps(packed, most);
  return [...first, ...stamps.slice(0, most - first.length)];
}

/**
 * The times that still count, in a new list. A time in the future comes from a faster clock, or
 * from before this clock was set back. It counts unless it is further ahead than the maximum clock skew:
 * then a clock was wrong, and must not lock anyone out until that time comes.
 */
function countedTimes(
  times: WindowTimes,
  { now, rule }: { now: number; rule: Pick<WindowRule, "windowMs"> },
): { stamps: number[]; packed: PackedStamps | undefined } {
  // Packed times are changed as a list, which only a clock that is behind another makes necessary.
  const isAhead = times.packed !== undefined && newestOf(times.packed) > now;
  const { stamps, packed } = isAhead ? { stamps: toList(times), packed: undefined } : times;
  return {
    packed: dropBefore(packed, now - rule.windowMs),
    stamps: countedStamps(stamps, { now, rule }),
  };
}

/** Their order makes those that count neighbours, which are found without reading all. */
function countedStamps(
  stamps: WindowStamps,
  { now, rule }: { now: number; rule: Pick<WindowRule, "windowMs"> },
): number[] {
  const counted = stamps.slice(firstIndex(stamps, (stamp) => now - stamp <= rule.windowMs));
  while (counted.length > 0 && counted.at(-1)! - now > MAX_SKEW_MS) counted.pop();
  return counted;
}

/** The index of the first stamp for which `isLate` is true, as for all later ones. */
function firstIndex(stamps: WindowStamps, isLate: (stamp: number) => boolean): number {
  let [low, high] = [0, stamps.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isLate(stamps[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function countOf({ stamps, packed }: WindowTimes): number {
  return stamps.length + (packed?.count ?? 0);
}

/** The time of admission `n`, from 0, if there are that many. */
function timeAt({ stamps, packed }: WindowTimes, n: number): number | undefined {
  const packedCount = packed?.count ?? 0;
  return n < packedCount ? stampAt(packed!, n) : stamps[n - packedCount];
}

function toStored(times: WindowTimes, { isPacked = false }: WindowRule): WindowTimes {
  const { stamps, packed } = times;
  if (!isPacked) return packed === undefined ? times : { stamps: toList(times) };
  if (stamps.length < UNPACKED.max) return times;
  // A process of the previous release, whose clock is behind, may have added earlier times.
  const isInOrder = packed === undefined || stamps[0]! >= newestOf(packed);
  const list = isInOrder ? stamps : toList(times);
  return {
    packed: packStamps(isInOrder ? packed : undefined, list.slice(0, -UNPACKED.latest)),
    stamps: list.slice(-UNPACKED.latest),
  };
}

function toList({ stamps, packed }: WindowTimes): number[] {
  return [...unpackStamps(packed), ...stamps].sort((a, b) => a - b);
}

/** `Retry-After` in whole seconds, at least 1; rounded up so that it is never too early. */
export function toRetryAfterSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
