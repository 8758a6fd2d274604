import { v7 as timeOrderedUuid } from "uuid";

/** What the outside world gives a process, in one injectable place so that tests decide it. */
export interface System {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * A UUID of version 7: 74 random bits after the time, so that what is stored under new ids lies
   * together and a commit touches few pages of the store.
   */
  uuid(): string;
  /** `n` cryptographically random bytes. */
  randomBytes(n: number): Uint8Array<ArrayBuffer>;
  /** Resolves after `ms`; rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const realSystem: System = {
  now: () => Date.now(),
  uuid: () => timeOrderedUuid(),
  randomBytes: (n) => crypto.getRandomValues(new Uint8Array(n)),
  sleep,
};

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  // Never thrown at once: who handles the promise alone would miss it.
  if (signal?.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/**
 * The reason of an abort that only calls off a wait. Made once: the default reason is an error made anew,
 * with its stack, which a chat would pay for several times.
 */
export const CALLED_OFF = new Error("called off");

/** ISO 8601 UTC of a time in milliseconds. */
export function iso(ms: number): string {
  return new Date(ms).toISOString();
}
