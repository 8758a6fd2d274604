import { MAX_SKEW_MS } from "./ledger.ts";

/** At most `limit` in any `windowMs`. */
export type WindowRule = { readonly limit: number; readonly windowMs: number };

/** The times of the latest admissions in milliseconds, oldest first; never more than `limit`. */
export type WindowStamps = readonly number[];

/** The remaining capacity of a window, for the `RateLimit` header. */
export interface WindowStatus {
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds until one more place becomes free; 0 if none is taken. */
  readonly resetMs: number;
}

export type WindowResult =
  | { admitted: true; stamps: WindowStamps; status: WindowStatus }
  | { admitted: false; retryAfterMs: number };

/**
 * A true sliding window: it stores the exact time of each admission, so that no 60 seconds, wherever they
 * begin, exceed the limit. A rejection changes nothing, so retrying early does not prolong the wait.
 */
export function takeFromWindow(
  stamps: WindowStamps,
  options: { now: number; rule: WindowRule },
): WindowResult {
  const { now, rule } = options;
  const counted = countedStamps(stamps, options);
  if (counted.length >= rule.limit) {
    // A place becomes free when the oldest of the last `limit` leaves; with limit 0, never.
    const oldest = counted[counted.length - rule.limit] ?? now;
    return { admitted: false, retryAfterMs: oldest + rule.windowMs + 1 - now };
  }
  // Stamps of a faster clock become stamps of now: the list stays sorted, and they expire no later.
  for (let i = counted.length - 1; i >= 0 && counted[i]! > now; i--) counted[i] = now;
  counted.push(now);
  return { admitted: true, stamps: counted, status: toStatus(counted, options) };
}

export function windowStatus(
  stamps: WindowStamps,
  options: { now: number; rule: WindowRule },
): WindowStatus {
  return toStatus(countedStamps(stamps, options), options);
}

function toStatus(
  counted: WindowStamps,
  { now, rule }: { now: number; rule: WindowRule },
): WindowStatus {
  const remaining = Math.max(0, rule.limit - counted.length);
  const oldest = counted[0];
  const resetMs = oldest === undefined ? 0 : oldest + rule.windowMs + 1 - now;
  return { limit: rule.limit, remaining, resetMs };
}

/**
 * The stamps that still count. A stamp in the future comes from a faster clock, or from before this clock
 * was set back. It counts unless it is further ahead than the maximum clock skew: then a clock was wrong,
 * and must not lock anyone out until that time comes.
 */
export function countedStamps(
  stamps: WindowStamps,
  { now, rule }: { now: number; rule: Pick<WindowRule, "windowMs"> },
): number[] {
  return stamps.filter((stamp) => now - stamp <= rule.windowMs && stamp - now <= MAX_SKEW_MS);
}

/** `Retry-After` in whole seconds, at least 1; rounded up so that it is never too early. */
export function toRetryAfterSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
