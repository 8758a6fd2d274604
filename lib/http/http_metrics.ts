import { LimitError } from "../billing/limit_error.ts";
import type { LimitScope } from "../billing/limits.ts";

/** Receives what is measured about requests. */
export interface HttpMetrics {
  onResponse(request: { route: string; method: string; status: number }): void;
  /** A request was rejected by a limit. */
  onLimit(scope: LimitScope): void;
  /** A stream has begun, until `sent` settles. */
  onStream(sent: Promise<unknown>): void;
}

/** Counts an error that a request is answered with, if it is a limit. */
export function recordLimit(metrics: HttpMetrics, error: unknown): void {
  if (error instanceof LimitError) metrics.onLimit(error.rejection.scope);
}
