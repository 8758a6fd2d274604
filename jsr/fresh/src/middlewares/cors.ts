import type { Context } from "../context.ts";
import type { Middleware } from "./mod.ts";

/** What other origins may do. */
export type CORSOptions<State> = {
  /** `"*"`, the origins that are allowed, or a function that returns the value to send. */
  origin:
    | string
    | string[]
    | ((origin: string, ctx: Context<State>) => string | undefined | null);
  allowMethods?: string[];
  /** Empty: whatever headers the preflight asks for. */
  allowHeaders?: string[];
  /** Seconds that a browser may keep the preflight's answer. */
  maxAge?: number;
  credentials?: boolean;
  exposeHeaders?: string[];
};

const DEFAULT_METHODS = ["GET", "HEAD", "PUT", "POST", "DELETE", "PATCH"];

/**
 * Adds CORS headers and answers every OPTIONS request itself. Use it at the root: requests for paths
 * that only code routes know never reach one that is bound to a path.
 */
export function cors<State>(options?: CORSOptions<State>): Middleware<State> {
  const settings = { origin: "*", ...options } as CORSOptions<State>;

  return async (ctx) => {
    const allowed = allowedOrigin(settings, ctx);
    const preflight = ctx.req.method === "OPTIONS";
    const res = preflight ? new Response(null, { status: 204 }) : await ctx.next();
    const { headers } = res;
    if (allowed) headers.set("Access-Control-Allow-Origin", allowed);
    if (settings.credentials) {
      headers.set("Access-Control-Allow-Credentials", "true");
    }
    if (settings.exposeHeaders?.length) {
      headers.set(
        "Access-Control-Expose-Headers",
        settings.exposeHeaders.join(","),
      );
    }
    const depends = settings.origin !== "*" && allowed && allowed !== "*";
    if (depends) addVary(headers, "Origin");
    if (preflight) setPreflightHeaders(headers, settings, ctx.req);
    return res;
  };
}

function allowedOrigin<State>(
  { origin: allowed }: CORSOptions<State>,
  ctx: Context<State>,
): string | null {
  const origin = ctx.req.headers.get("Origin") ?? "";
  if (typeof allowed === "function") return allowed(origin, ctx) ?? null;
  if (allowed === "*") return "*";
  return [allowed].flat().includes(origin) ? origin : null;
}

function setPreflightHeaders<State>(
  headers: Headers,
  { maxAge, allowMethods = DEFAULT_METHODS, allowHeaders = [] }: CORSOptions<
    State
  >,
  req: Request,
): void {
  if (maxAge !== undefined) {
    headers.set("Access-Control-Max-Age", String(maxAge));
  }
  if (allowMethods.length > 0) {
    headers.set("Access-Control-Allow-Methods", allowMethods.join(","));
  }
  const asked = req.headers.get("Access-Control-Request-Headers")?.split(/\s*,\s*/) ?? [];
  const names = allowHeaders.length > 0 ? allowHeaders : asked;
  if (names.length === 0) return;
  headers.set("Access-Control-Allow-Headers", names.join(","));
  addVary(headers, "Access-Control-Request-Headers");
}

function addVary(headers: Headers, name: string): void {
  const names = headers.get("Vary")?.split(/\s*,\s*/) ?? [];
  if (!names.includes(name)) names.unshift(name);
  headers.set("Vary", names.join(", "));
}
