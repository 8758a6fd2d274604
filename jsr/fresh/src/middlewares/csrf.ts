import type { Context } from "../context.ts";
import { HttpError } from "../http_error.ts";
import type { Middleware } from "../middleware.ts";

/** Which other origins may send changes. */
// deno-lint-ignore no-explicit-any
export interface CsrfOptions<State = any> {
  /** Instead of the request's own origin. */
  origin?: string | string[] | ((origin: string, context: Context<State>) => boolean);
}

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Rejects changes from pages of other origins with HttpError 403. A request with neither
 * `Sec-Fetch-Site` nor `Origin` does not come from a browser's page and passes.
 */
export function csrf<State>(options: CsrfOptions = {}): Middleware<State> {
  return async (ctx) => {
    if (SAFE_METHODS.has(ctx.req.method)) return await ctx.next();
    const site = ctx.req.headers.get("Sec-Fetch-Site");
    const origin = ctx.req.headers.get("Origin");
    const unmarked = site === null && origin === null;
    if (
      unmarked || site === "same-origin" || site === "none" ||
      (origin !== null && isAllowed(origin, options, ctx))
    ) {
      return await ctx.next();
    }
    throw new HttpError(403);
  };
}

function isAllowed<State>(
  origin: string,
  { origin: allowed }: CsrfOptions,
  ctx: Context<State>,
): boolean {
  if (typeof allowed === "function") return allowed(origin, ctx);
  return [allowed || ctx.url.origin].flat().includes(origin);
}
