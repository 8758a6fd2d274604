import { v7 as timeOrderedUuid } from "uuid";
import { CoalescedTimers } from "./coalesced_timers.ts";

/** Clock, timers, ids and randomness, injected so that tests control them. */
export interface Runtime {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * A version 7 UUID. Its leading timestamp keeps new records together, so that a commit touches few
   * pages of the store.
   */
  uuid(): string;
  /** `n` cryptographically random bytes. */
  randomBytes(n: number): Uint8Array<ArrayBuffer>;
  /** Resolves after `ms` (long waits up to 50 ms later). Rejects with the signal's reason on abort. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

const wallClock = () => Date.now();

export const systemRuntime: Runtime = {
  now: wallClock,
  uuid: () => timeOrderedUuid(),
  randomBytes: (n) => crypto.getRandomValues(new Uint8Array(n)),
  sleep,
};

/**
 * Monotonic milliseconds for measuring durations; setting the clock does not affect them. With an
 * injected clock, uses only that clock.
 */
export function monotonicNow(runtime: Pick<Runtime, "now">): number {
  return runtime.now === wallClock ? performance.now() : runtime.now();
}

/** Longer waits share one timer, and may end a little late. */
const COALESCE_FROM_MS = 1_000;
const coalescedTimers = new CoalescedTimers();

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  // Never throws synchronously: a caller may only handle the promise.
  if (signal?.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = startTimer(ms, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/**
 * Calls `callback` once after `ms`. Returns a function that cancels it. Cheaper than `sleep` for timers
 * that are usually cancelled, as most of a chat's are: it creates no signal and no rejection.
 */
export function setTimer(
  runtime: Pick<Runtime, "sleep">,
  ms: number,
  callback: () => void,
): () => void {
  if (runtime.sleep === sleep) return startTimer(ms, callback);
  const controller = new AbortController();
  const { signal } = controller;
  runtime.sleep(ms, signal).then(() => signal.aborted || callback(), () => {});
  return () => controller.abort(CANCELLED);
}

function startTimer(ms: number, callback: () => void): () => void {
  if (ms >= COALESCE_FROM_MS) return coalescedTimers.setTimer(ms, callback);
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}

/**
 * The abort reason for cancelling a wait. Shared, because the default reason is a new error with a
 * stack, and a chat cancels several waits.
 */
export const CANCELLED = new Error("cancelled");

/** A random number from 0 to 1, for jitter. */
export function randomFraction(runtime: Pick<Runtime, "randomBytes">): number {
  return runtime.randomBytes(1)[0]! / 255;
}

/** ISO 8601 UTC of a time in milliseconds. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
