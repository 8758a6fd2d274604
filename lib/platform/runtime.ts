import { v7 as timeOrderedUuid } from "uuid";
import { CoalescedTimers } from "./coalesced_timers.ts";

/** What the outside world gives a process, in one injectable place so that tests decide it. */
export interface Runtime {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * A UUID of version 7: 74 random bits after the time, so that what is stored under new ids lies
   * together and a commit touches few pages of the store.
   */
  uuid(): string;
  /** `n` cryptographically random bytes. */
  randomBytes(n: number): Uint8Array<ArrayBuffer>;
  /** Resolves after `ms`, long waits up to 50 ms later; rejects with the signal's reason as soon as it aborts. */
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
 * Milliseconds for telling how long something takes, since no moment in particular: setting the clock
 * does not move them. A world with a clock of its own has only that.
 */
export function monotonicNow(runtime: Pick<Runtime, "now">): number {
  return runtime.now === wallClock ? performance.now() : runtime.now();
}

/** From this on a wait may be a little late. */
const COALESCE_FROM_MS = 1_000;
const coalescedTimers = new CoalescedTimers();

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  // Never thrown at once: who handles the promise alone would miss it.
  if (signal?.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      callOff();
      reject(signal?.reason);
    };
    const callOff = startTimer(ms, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/**
 * Calls `ring` once after `ms`, as if the system had slept; the answer calls it off. For a wait that is
 * nearly always called off, as most of a chat's are: neither a signal nor a rejection is made for it.
 */
export function setTimer(
  runtime: Pick<Runtime, "sleep">,
  ms: number,
  ring: () => void,
): () => void {
  if (runtime.sleep === sleep) return startTimer(ms, ring);
  const waiting = new AbortController();
  const { signal } = waiting;
  runtime.sleep(ms, signal).then(() => signal.aborted || ring(), () => {});
  return () => waiting.abort(CANCELLED);
}

function startTimer(ms: number, ring: () => void): () => void {
  if (ms >= COALESCE_FROM_MS) return coalescedTimers.setTimer(ms, ring);
  const timer = setTimeout(ring, ms);
  return () => clearTimeout(timer);
}

/**
 * The reason of an abort that only calls off a wait. Made once: the default reason is an error made anew,
 * with its stack, which a chat would pay for several times.
 */
export const CANCELLED = new Error("called off");

/** ISO 8601 UTC of a time in milliseconds. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
