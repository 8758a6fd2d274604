import type { Runtime } from "../../platform/runtime.ts";
import { ProviderError } from "../provider_error.ts";

export const MAX_RETRIES = 2;
const BASE_DELAY_MS = 250;
/** Where nobody gave a deadline, a vendor that wants a longer rest is given up. */
const MAX_DELAY_MS = 10_000;

export interface RetryOptions {
  runtime: Pick<Runtime, "now" | "sleep" | "randomBytes">;
  signal: AbortSignal;
  /** Milliseconds since the epoch. */
  deadline?: number | undefined;
  /** Milliseconds; a wait that is longer is not begun. */
  maxRetryWaitMs?: number | undefined;
  /** Asked before a wait whether there may be another attempt at all. */
  beforeRetry?: () => Promise<boolean>;
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
      if (!(error instanceof ProviderError) || error.retry === "no" || n > MAX_RETRIES) throw error;
      const wait = retryDelay(error, { n, runtime: options.runtime });
      if (!fits(wait, options) || await options.beforeRetry?.() === false) throw error;
      if (wait > 0) await options.runtime.sleep(wait, options.signal);
      options.signal.throwIfAborted();
    }
  }
}

function retryDelay(
  fault: ProviderError,
  { n, runtime }: { n: number; runtime: RetryOptions["runtime"] },
): number {
  // Only the first attempt may have met a connection that closed while it was kept.
  if (fault.retry === "now" && n === 1) return 0;
  const backoff = BASE_DELAY_MS * 2 ** (n - 1);
  // Between half and one and a half: callers that failed together do not come back together.
  const jittered = Math.round(backoff * (0.5 + (runtime.randomBytes(1)[0] ?? 0) / 256));
  return fault.retryAfterMs === undefined ? jittered : fault.retryAfterMs + jittered - backoff / 2;
}

function fits(wait: number, { deadline, maxRetryWaitMs, runtime }: RetryOptions): boolean {
  if (wait > (maxRetryWaitMs ?? Infinity)) return false;
  return deadline === undefined ? wait <= MAX_DELAY_MS : runtime.now() + wait < deadline;
}
