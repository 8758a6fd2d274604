import { MAX_SKEW_MS } from "./ledger.ts";

/** At most `limit` in any `windowMs`. */
export interface WindowRule {
  readonly limit: number;
  readonly windowMs: number;
}

/** When each of the latest admissions was, in milliseconds, oldest first; never more than `limit`. */
export type WindowStamps = readonly number[];

/** What is left of a window, for the `RateLimit` header. */
export interface WindowStatus {
  readonly limit: number;
  readonly remaining: number;
  /** When one more place comes free; 0 when none is taken. Milliseconds from now. */
  readonly resetMs: number;
}

/** What came of one try. */
export type WindowResult =
  | { admitted: true; stamps: WindowStamps; status: WindowStatus }
  | { admitted: false; retryAfterMs: number };

/**
 * A true sliding window: the exact times of the latest admissions, so that no 60 seconds, wherever they
 * begin, see more than the limit. A refusal changes nothing: who keeps knocking is not kept out longer.
 */
export function takeFromWindow(
  stamps: WindowStamps,
  options: { now: number; rule: WindowRule },
): WindowResult {
  const { now, rule } = options;
  const live = countedStamps(stamps, options);
  if (live.length >= rule.limit) {
    // Room comes when the oldest of the last `limit` leaves; at `limit` 0 it never does.
    const oldest = live[live.length - rule.limit] ?? now;
    return { admitted: false, retryAfterMs: oldest + rule.windowMs + 1 - now };
  }
  // What a faster clock has noted is noted anew by this one: the list stays in order, and such a stamp
  // counts no longer than one of now.
  for (let i = live.length - 1; i >= 0 && live[i]! > now; i--) live[i] = now;
  live.push(now);
  return { admitted: true, stamps: live, status: toStatus(live, options) };
}

/** What the window would still take now. */
export function windowStatus(
  stamps: WindowStamps,
  options: { now: number; rule: WindowRule },
): WindowStatus {
  return toStatus(countedStamps(stamps, options), options);
}

function toStatus(
  live: WindowStamps,
  { now, rule }: { now: number; rule: WindowRule },
): WindowStatus {
  const remaining = Math.max(0, rule.limit - live.length);
  const oldest = live[0];
  const resetMs = oldest === undefined ? 0 : oldest + rule.windowMs + 1 - now;
  return { limit: rule.limit, remaining, resetMs };
}

/**
 * The stamps that still count. One ahead of now was written by a faster clock, or before this one was
 * set back. It counts until it is a window old, as long as it is no further ahead than clocks may be
 * apart; beyond that a clock was wrong, and nobody is shut out until the other one gets there.
 */
export function countedStamps(
  stamps: WindowStamps,
  { now, rule }: { now: number; rule: Pick<WindowRule, "windowMs"> },
): number[] {
  return stamps.filter((stamp) => now - stamp <= rule.windowMs && stamp - now <= MAX_SKEW_MS);
}

/** `Retry-After` in whole seconds: rounded up, so that it is never too early, and at least 1. */
export function toRetryAfterSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
