/** What can go wrong, as the visitor meets it: a sentence, and whether trying again makes sense. */
import { FAILURES, waitInWords } from "./strings.ts";

/**
 * How to try again. `same` repeats the very request under its idempotency key, so that a run that
 * did start is joined and not paid for twice; `new` asks afresh; `never` offers no button.
 */
export type Retry = "same" | "new" | "never";

export interface Failure {
  /** The service's error code, or `network_error`, `connection_dropped`, `empty_answer`. */
  readonly code: string;
  readonly text: string;
  readonly retry: Retry;
  /** Milliseconds since the epoch before which the service will refuse again. */
  readonly retryAt?: number;
}

/** A refusal that arrived instead of a stream. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly scope?: string;
  /** Seconds. */
  readonly retryAfter?: number;
}

export const NETWORK: Failure = { code: "network_error", text: FAILURES.offline, retry: "same" };
export const DROPPED: Failure = {
  code: "connection_dropped",
  text: FAILURES.dropped,
  retry: "same",
};
export const EMPTY: Failure = { code: "empty_answer", text: FAILURES.empty, retry: "new" };
export const NO_SESSION: Failure = {
  code: "session_token_missing",
  text: FAILURES.noSession,
  retry: "new",
};

/** Failures that a fresh session token cures. */
export function needsToken(failure: Failure | undefined): boolean {
  return /^session_/.test(failure?.code ?? "");
}

/** `now` is in milliseconds since the epoch. */
export function failureOfRefusal(refusal: Refusal, now: number): Failure {
  if (refusal.status === 429) return failureOfLimit(refusal, now);
  const { code } = refusal;
  switch (code) {
    case "session_token_invalid":
    case "invalid_api_key":
      return { code: "session_token_invalid", text: FAILURES.session, retry: "new" };
    case "origin_not_allowed":
      return { code, text: FAILURES.origin, retry: "never" };
    case "payload_too_large":
      return { code, text: FAILURES.tooLarge, retry: "never" };
    case "not_found":
      return { code, text: FAILURES.gone, retry: "never" };
    case "provider_error":
    case "provider_timeout":
    case "provider_rate_limited":
      return { code, text: FAILURES.provider, retry: "new" };
  }
  const ours = refusal.status >= 500 || refusal.status === 410;
  return { code, text: ours ? FAILURES.server : FAILURES.refused, retry: ours ? "new" : "never" };
}

function failureOfLimit({ code, scope, retryAfter }: Refusal, now: number): Failure {
  if (scope === "session_messages") {
    return { code: "session_exhausted", text: FAILURES.cap, retry: "new" };
  }
  const seconds = Math.max(1, retryAfter ?? 1);
  const why = code === "plan_limit_exceeded" ? FAILURES.plan : isFull(scope);
  return {
    code,
    text: `${why} Please try again ${waitInWords(seconds)}.`,
    retry: "new",
    retryAt: now + seconds * 1000,
  };
}

function isFull(scope: string | undefined): string {
  return scope?.endsWith("_streams") ? FAILURES.crowded : FAILURES.busy;
}

/** The `error` frame of a stream that had started: the run is over, so a retry is a new run. */
export function failureOfRun(code: string): Failure {
  switch (code) {
    case "budget_exceeded":
      return { code, text: FAILURES.budget, retry: "never" };
    case "plan_limit_exceeded":
      return { code, text: FAILURES.plan, retry: "never" };
    case "provider_error":
    case "provider_timeout":
    case "provider_rate_limited":
      return { code, text: FAILURES.provider, retry: "new" };
    default:
      return { code, text: FAILURES.server, retry: "new" };
  }
}
