import type { Middleware } from "./mod.ts";

/** Redirects to the form of the path with (`"always"`) or without (`"never"`) its last slash. */
export function trailingSlashes<State>(
  mode: "always" | "never",
): Middleware<State> {
  return function trailingSlashesMiddleware(ctx) {
    const { pathname, search } = ctx.url;
    const ends = pathname.endsWith("/");
    if (pathname === "/" || ends === (mode === "always")) return ctx.next();
    return ctx.redirect(
      (ends ? pathname.slice(0, -1) : `${pathname}/`) + search,
    );
  };
}
