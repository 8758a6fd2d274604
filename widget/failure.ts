/** Failures as the visitor sees them: a sentence, and whether retrying makes sense. */
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
  /** One of string_ids.ts. */
  readonly stringId: number;
  /**
   * `same` repeats the request with its idempotency key, which joins a run that did start instead of
   * paying twice; `new` starts a new run; `never` offers no retry.
   */
  readonly retry: "same" | "new" | "never";
  /** The service rejects a retry before this time, in milliseconds since the epoch. */
  readonly retryAt?: number;
}

export const NETWORK_FAILURE: Failure = { code: "network_error", stringId: OFFLINE, retry: "same" };
export const EMPTY_ANSWER: Failure = {
  code: "empty_answer",
  stringId: GENERIC_ERROR,
  retry: "new",
};

/** True for failures that a new session token fixes. */
export function needsToken(failure: Failure | undefined): boolean {
  return /^session_/.test(failure?.code ?? "");
}

/** `now` is in milliseconds since the epoch. */
export function failureFromRejection(rejection: Rejection, now: number): Failure {
  const { code, status, scope, retryAfter } = rejection;
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
      retryAt: now + (retryAfter ?? 1) * 1000,
    };
  }
  if (status >= 500 || status === 410) return { code, stringId: GENERIC_ERROR, retry: "new" };
  return {
    code,
    stringId: status === 403 || status === 404 ? UNAVAILABLE : GENERIC_ERROR,
    retry: "never",
  };
}

/** Failure for an `error` frame. The run is over, so a retry starts a new one. */
export function failureFromErrorFrame(code: string): Failure {
  if (code === "budget_exceeded") return { code, stringId: INCOMPLETE, retry: "never" };
  if (code === "plan_limit_exceeded") return { code, stringId: UNAVAILABLE, retry: "never" };
  return { code, stringId: GENERIC_ERROR, retry: "new" };
}

/** The visitor's message. The time to try again is rounded up, so that it is never too early. */
export function failureMessage(
  { stringId, retryAt = 0 }: Failure,
  { lang, t }: Locale,
  now: number,
): string {
  const minutes = Math.ceil((retryAt - now) / 60_000);
  if (minutes <= 0) return t(stringId);
  const when = new Intl.RelativeTimeFormat(lang);
  const format = (size: number, unit: Intl.RelativeTimeFormatUnit) =>
    `${t(stringId)} ${t(RETRY)} ${when.format(Math.ceil(minutes / size), unit)}.`;
  if (minutes > 2880) return format(1440, "day");
  return minutes > 90 ? format(60, "hour") : format(1, "minute");
}
