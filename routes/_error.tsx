import { page } from "fresh";
import { ErrorView } from "@/components/ErrorView.tsx";
import { ApiError } from "@/lib/schemas/api_error.ts";
import { logFailure, toPageError } from "@/lib/http/error_response.ts";
import { newNonce } from "@/lib/dashboard/content_security_policy.ts";
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
  const error = toPageError(ctx.error);
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
    <ErrorView status={toPageError(error)?.status ?? 500} />
  </main>
));
