import type { Middleware } from "../middleware.ts";
import { notInThisBuild } from "../unsupported.ts";

/** Options of the Content-Security-Policy. */
export interface CSPOptions {
  /** Not in this build. */
  reportOnly?: boolean;
  /** Not in this build. */
  reportTo?: string;
  /** Directives; one replaces the default of the same name. */
  csp?: string[];
  /** Replace `'unsafe-inline'` by the nonce of the page, where there is one. */
  useNonce?: boolean;
}

/** Where a rendered `Response` carries its nonce. */
export const NONCE: unique symbol = Symbol.for("__freshNonce");

const DEFAULT_DIRECTIVES = [
  "default-src 'self'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self'",
  "img-src 'self' data:",
  "media-src 'self' data: blob:",
  "worker-src 'self' blob:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "upgrade-insecure-requests",
];

/** The directives that know `'unsafe-inline'`. */
const INLINE = /^(default-src|script-src(-elem)?|style-src(-attr|-elem)?) /;

/** Sets the policy on every response. */
export function csp<State>(options: CSPOptions = {}): Middleware<State> {
  const { csp: own = [], useNonce, reportOnly, reportTo } = options;
  if (reportOnly) notInThisBuild("csp() with reportOnly");
  if (reportTo) notInThisBuild("csp() with reportTo");
  const names = new Set(own.map(nameOf));
  const kept = DEFAULT_DIRECTIVES.filter((directive) => !names.has(nameOf(directive)));
  const directives = [...kept, ...own];

  return async (ctx) => {
    const res: Response & { [NONCE]?: string } = await ctx.next();
    const nonce = useNonce ? res[NONCE] : undefined;
    const policy = nonce === undefined
      ? directives
      : directives.map((directive) => withNonce(directive, nonce));
    res.headers.set("Content-Security-Policy", policy.join("; "));
    return res;
  };
}

function withNonce(directive: string, nonce: string): string {
  if (!INLINE.test(directive)) return directive;
  return directive.replaceAll("'unsafe-inline'", `'nonce-${nonce}'`);
}

function nameOf(directive: string): string {
  return directive.split(" ", 1)[0] ?? "";
}
