import type { LoggedFrame } from "../../chat/log/run_log.ts";
import { ApiError } from "../../schemas/api_error.ts";
import type { StreamErrorCode } from "../../schemas/error_codes.ts";
import { RunProgress } from "../encoders/run_progress.ts";

/** Throws the `ApiError` for a run that failed, if it is not streamed. */
export function throwIfFailed(runId: string, frames: readonly LoggedFrame[]): void {
  const progress = new RunProgress(runId);
  for (const frame of frames) progress.record(frame);
  const last = frames.at(-1)?.frame;
  const outcome = last?.type === "done" && progress.outcomeOf(last, { mayBeEmpty: true });
  if (!outcome || outcome.kind !== "failed") return;
  const { code, message } = outcome.error;
  // The run was paid for, and its fallback has been tried: a repetition by itself would double the cost.
  const headers = { "x-should-retry": "false", "x-run-id": runId };
  throw new ApiError(statusCode(code), message, { headers });
}

/** Two codes exist in streams only. */
function statusCode(code: StreamErrorCode): ApiError["code"] {
  if (code === "run_interrupted") return "service_unavailable";
  return code === "budget_exceeded" ? "internal_error" : code;
}
