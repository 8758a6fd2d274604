/** Failures as components see them. What may be retried is decided as in the widget. */
import { ChatError } from "@agent-chat/client";
import {
  EMPTY_ANSWER,
  type Failure,
  failureFromErrorFrame,
  failureFromRejection,
} from "../../../widget/failure.ts";
import type { AgentChatFailure } from "./mod.d.ts";

export interface KnownFailure {
  readonly shown: AgentChatFailure;
  /** `same` repeats the request with its idempotency key; `new` starts a new run. */
  readonly retry: Failure["retry"];
}

/** What the iteration of a chat has thrown; a token function may throw anything. */
export function thrownFailure(error: unknown, now: number): KnownFailure {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof ChatError)) {
    return known({ code: "session_token_missing", retry: "same" }, { message });
  }
  const { status, requestId } = error;
  return known(failureFromRejection(error, now), { message, status, requestId });
}

export function frameFailure(
  { code, message }: { code: string; message: string },
  requestId: string,
): KnownFailure {
  return known(failureFromErrorFrame(code), { message, requestId });
}

export function emptyAnswer(requestId: string): KnownFailure {
  return known(EMPTY_ANSWER, { message: "the answer is empty", requestId });
}

function known(
  { code, retry, retryAt }: Pick<Failure, "code" | "retry" | "retryAt">,
  { message, status = 0, requestId = "" }: { message: string; status?: number; requestId?: string },
): KnownFailure {
  return {
    retry,
    shown: { code, message, status, canRetry: retry !== "never", retryAt, requestId },
  };
}
