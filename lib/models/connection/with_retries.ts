import type { Runtime } from "../../system.ts";
import { VendorFault } from "./vendor_fault.ts";

export const MAX_RETRIES = 2;
const FIRST_PAUSE_MS = 250;
/** Where nobody gave a deadline, a vendor that wants a longer rest is given up. */
const LONGEST_PAUSE_MS = 10_000;

export interface RetryOptions {
  system: Pick<Runtime, "now" | "sleep" | "randomBytes">;
  signal: AbortSignal;
  /** Milliseconds since the epoch. */
  deadline?: number | undefined;
  /** Milliseconds; a wait that is longer is not begun. */
  longestWaitMs?: number | undefined;
  /** Asked before a wait whether there may be another attempt at all. */
  again?: () => Promise<boolean>;
}

/**
 * Tries again what failed for a reason that may pass, twice at most. A wait that does not fit is not
 * begun, so that the fallback can be asked at once. Throws the last fault.
 */
export async function withRetries<T>(
  attempt: (n: number) => Promise<T>,
  options: RetryOptions,
): Promise<T> {
  for (let n = 1;; n++) {
    try {
      return await attempt(n);
    } catch (error) {
      if (!(error instanceof VendorFault) || error.retry === "no" || n > MAX_RETRIES) throw error;
      const wait = pauseAfter(error, { n, system: options.system });
      if (!fits(wait, options) || await options.again?.() === false) throw error;
      if (wait > 0) await options.system.sleep(wait, options.signal);
      options.signal.throwIfAborted();
    }
  }
}

function pauseAfter(
  fault: VendorFault,
  { n, system }: { n: number; system: RetryOptions["system"] },
): number {
  // Only the first attempt may have met a connection that closed while it was kept.
  if (fault.retry === "now" && n === 1) return 0;
  const backoff = FIRST_PAUSE_MS * 2 ** (n - 1);
  // Between half and one and a half: callers that failed together do not come back together.
  const jittered = Math.round(backoff * (0.5 + (system.randomBytes(1)[0] ?? 0) / 256));
  return fault.retryAfterMs === undefined ? jittered : fault.retryAfterMs + jittered - backoff / 2;
}

function fits(wait: number, { deadline, longestWaitMs, system }: RetryOptions): boolean {
  if (wait > (longestWaitMs ?? Infinity)) return false;
  return deadline === undefined ? wait <= LONGEST_PAUSE_MS : system.now() + wait < deadline;
}
