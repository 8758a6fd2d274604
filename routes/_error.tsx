import { HttpError, page } from "fresh";
import { ErrorView } from "@/components/ErrorView.tsx";
import { StoreUnavailableError } from "@/lib/committer/operation.ts";
import { ApiError } from "@/lib/errors.ts";
import { logFault } from "@/lib/http/log_fault.ts";
import { define } from "@/utils.ts";

/** Set here, because an error passes by whatever a middleware adds to answers. */
const HEADERS = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; style-src 'self'; img-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
};

export const handler = define.handlers((ctx) => {
  const status = statusOf(ctx.error);
  // Without a service the start itself has failed, which the process tells.
  if (status >= 500 && ctx.state.service !== undefined) logFault(ctx, ctx.error);
  return page({}, { status, headers: { ...HEADERS, ...headersOf(ctx.error) } });
});

/** Every fault and every unknown address outside /v1; it tells the status, never the error's text. */
export default define.page(({ error }) => (
  <main class="auth">
    <ErrorView status={statusOf(error)} />
  </main>
));

function statusOf(error: unknown): number {
  if (error instanceof StoreUnavailableError) return 503;
  return error instanceof HttpError || isLimit(error) ? error.status : 500;
}

/** When to come back. */
function headersOf(error: unknown): Record<string, string> | undefined {
  if (error instanceof StoreUnavailableError) return { "retry-after": "1" };
  return isLimit(error) ? error.headers : undefined;
}

/** A page may be limited as /v1 is; any other refusal of ours should not have got here. */
function isLimit(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 429;
}
