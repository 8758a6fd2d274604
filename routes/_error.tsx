import { HttpError, page } from "fresh";
import { ErrorView } from "@/components/ErrorView.tsx";
import { StoreUnavailableError } from "@/lib/store/tx/operation.ts";
import { ApiError } from "@/lib/schemas/api_error.ts";
import { logFailure, toApiError } from "@/lib/http/error_response.ts";
import { newNonce } from "@/lib/dashboard/content_security_policy.ts";
import { ClientDisconnectError } from "@/lib/http/bodies/read_bounded.ts";
import { define } from "@/utils.ts";

/** Set here, because an error passes by whatever a middleware adds to answers. */
function headersWith(styleNonce: string): Record<string, string> {
  return {
    "cache-control": "no-store",
    "content-security-policy": `default-src 'none'; style-src 'nonce-${styleNonce}'; ` +
      "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  };
}

export const handler = define.handlers((ctx) => {
  const refusal = refusalOf(ctx.error);
  const status = refusal?.status ?? 500;
  // Without a service the start itself has failed, which the process tells.
  if (ctx.state.service !== undefined) logFailure(ctx, { thrown: ctx.error, status });
  const more = refusal instanceof ApiError ? refusal.headers : {};
  ctx.state.styleNonce = newNonce();
  return page({}, { status, headers: { ...headersWith(ctx.state.styleNonce), ...more } });
});

/** Every fault and every unknown address outside /v1; it tells the status, never the error's text. */
export default define.page(({ error }) => (
  <main class="auth">
    <ErrorView status={refusalOf(error)?.status ?? 500} />
  </main>
));

/** Errors that a page may show: a wrong method, a limit, too many bodies at once. */
const TOLD = new Set([405, 429, 503]);

/**
 * A page may be limited, or its store be away, as under /v1; any other refusal of ours should not have
 * got here, and is a fault.
 */
function refusalOf(error: unknown): HttpError | ApiError | undefined {
  if (error instanceof HttpError) return error;
  if (error instanceof StoreUnavailableError || error instanceof ClientDisconnectError) {
    return toApiError(error);
  }
  return error instanceof ApiError && TOLD.has(error.status) ? error : undefined;
}
