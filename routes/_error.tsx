import { HttpError, page } from "fresh";
import { ErrorView } from "@/components/ErrorView.tsx";
import { StoreUnavailableError } from "@/lib/store/tx/operation.ts";
import { ApiError } from "@/lib/schemas/api_error.ts";
import { logFailure, toApiError } from "@/lib/http/error_response.ts";
import { newNonce } from "@/lib/dashboard/content_security_policy.ts";
import { ClientDisconnectError } from "@/lib/http/bodies/read_bounded.ts";
import { define } from "@/utils.ts";

/** Set here because middleware does not add its headers to error responses. */
function headersWith(styleNonce: string): Record<string, string> {
  return {
    "cache-control": "no-store",
    "content-security-policy": `default-src 'none'; style-src 'nonce-${styleNonce}'; ` +
      "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  };
}

export const handler = define.handlers((ctx) => {
  const error = shownError(ctx.error);
  const status = error?.status ?? 500;
  // Without a service, startup has failed, which the process reports.
  if (ctx.state.service !== undefined) logFailure(ctx, { thrown: ctx.error, status });
  const more = error instanceof ApiError ? error.headers : {};
  ctx.state.styleNonce = newNonce();
  return page({}, { status, headers: { ...headersWith(ctx.state.styleNonce), ...more } });
});

/** The page of every error outside /v1. It shows the status, never the error's message. */
export default define.page(({ error }) => (
  <main class="auth">
    <ErrorView status={shownError(error)?.status ?? 500} />
  </main>
));

/** Statuses of our own errors that a page may show. */
const SHOWN_STATUSES = new Set([405, 429, 503]);

/** The error to show. Any other `ApiError` should have been handled by its page, so it is a 500. */
function shownError(error: unknown): HttpError | ApiError | undefined {
  if (error instanceof HttpError) return error;
  if (error instanceof StoreUnavailableError || error instanceof ClientDisconnectError) {
    return toApiError(error);
  }
  return error instanceof ApiError && SHOWN_STATUSES.has(error.status) ? error : undefined;
}
