/** What can go wrong, as the visitor meets it: a sentence, and whether trying again makes sense. */
import type { Rejection } from "./client/rejection.ts";
import type { Locale } from "./locales.ts";
import {
  GENERIC_ERROR,
  INCOMPLETE,
  OFFLINE,
  RELOAD_PAGE,
  RETRY,
  UNAVAILABLE,
} from "./string_ids.ts";

export interface Failure {
  /** The service's error code, or `network_error`, `empty_answer`, `session_token_missing`. */
  readonly code: string;
  /** Which string: one of say.ts. */
  readonly stringId: number;
  /**
   * How to try again. `same` goes on with the very request under its idempotency key, so that a run
   * that did start is joined and not paid for twice; `new` asks afresh; `never` offers no button.
   */
  readonly retry: "same" | "new" | "never";
  /** Milliseconds since the epoch before which the service will refuse again. */
  readonly retryAt?: number;
}

export const NETWORK_FAILURE: Failure = { code: "network_error", stringId: OFFLINE, retry: "same" };
export const EMPTY_ANSWER: Failure = {
  code: "empty_answer",
  stringId: GENERIC_ERROR,
  retry: "new",
};

/** Failures that a fresh session token cures. */
export function needsToken(failure: Failure | undefined): boolean {
  return /^session_/.test(failure?.code ?? "");
}

/** `now` is in milliseconds since the epoch. */
export function failureFromRejection(refusal: Rejection, now: number): Failure {
  const { code, status, scope, retryAfter } = refusal;
  if (!status) return NETWORK_FAILURE;
  if (scope === "session_messages") {
    return { code: "session_exhausted", stringId: RELOAD_PAGE, retry: "same" };
  }
  if (status === 401) {
    const missing = code === "session_token_missing";
    return { code: missing ? code : "session_token_invalid", stringId: RELOAD_PAGE, retry: "same" };
  }
  if (status === 429) {
    return {
      code,
      stringId: UNAVAILABLE,
      retry: "new",
      retryAt: now + Math.max(1, retryAfter ?? 1) * 1000,
    };
  }
  if (status >= 500 || status === 410) return { code, stringId: GENERIC_ERROR, retry: "new" };
  return {
    code,
    stringId: /40[34]/.test(`${status}`) ? UNAVAILABLE : GENERIC_ERROR,
    retry: "never",
  };
}

/** The `error` frame of a stream that had started: the run is over, so a retry is a new run. */
export function failureFromErrorFrame(code: string): Failure {
  if (code === "budget_exceeded") return { code, stringId: INCOMPLETE, retry: "never" };
  if (code === "plan_limit_exceeded") return { code, stringId: UNAVAILABLE, retry: "never" };
  return { code, stringId: GENERIC_ERROR, retry: "new" };
}

/** The sentence, and when to try again: rounded up, so that it is never promised too early. */
export function failureMessage(
  { stringId, retryAt = 0 }: Failure,
  { lang, t }: Locale,
  now: number,
): string {
  const minutes = Math.ceil((retryAt - now) / 60_000);
  if (minutes <= 0) return t(stringId);
  const when = new Intl.RelativeTimeFormat(lang);
  const hours = Math.ceil(minutes / 60);
  return `${t(stringId)} ${t(RETRY)} ${
    minutes > 90 ? when.format(hours, "hour") : when.format(minutes, "minute")
  }.`;
}
