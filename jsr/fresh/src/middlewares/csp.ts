import type { Middleware } from "./mod.ts";

/** Options of the Content-Security-Policy. */
export interface CSPOptions {
  /** Report violations, block nothing. */
  reportOnly?: boolean;
  /** URL that reports go to. */
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

const INLINE_DIRECTIVES = new Set([
  "default-src",
  "script-src",
  "script-src-elem",
  "style-src",
  "style-src-attr",
  "style-src-elem",
]);

/** Sets the policy on every answer. */
export function csp<State>(options: CSPOptions = {}): Middleware<State> {
  const directives = allDirectives(options);
  const header = options.reportOnly
    ? "Content-Security-Policy-Report-Only"
    : "Content-Security-Policy";

  return async (ctx) => {
    const res: Response & { [NONCE]?: string } = await ctx.next();
    const nonce = options.useNonce ? res[NONCE] : undefined;
    const policy = nonce === undefined
      ? directives
      : directives.map((directive) => withNonce(directive, nonce));
    res.headers.set(header, policy.join("; "));
    if (options.reportTo) {
      res.headers.set(
        "Reporting-Endpoints",
        `csp-endpoint="${options.reportTo}"`,
      );
    }
    return res;
  };
}

function allDirectives({ csp: own = [], reportTo }: CSPOptions): string[] {
  const names = new Set(own.map(nameOf));
  const kept = DEFAULT_DIRECTIVES.filter((directive) => !names.has(nameOf(directive)));
  const reporting = reportTo ? ["report-to csp-endpoint", `report-uri ${reportTo}`] : [];
  return [...kept, ...own, ...reporting];
}

function withNonce(directive: string, nonce: string): string {
  if (!INLINE_DIRECTIVES.has(nameOf(directive))) return directive;
  return directive.replaceAll("'unsafe-inline'", `'nonce-${nonce}'`);
}

function nameOf(directive: string): string {
  return directive.split(" ", 1)[0] ?? "";
}
