import type { StaticFile } from "../build_cache.ts";
import { ASSET_CACHE_BUST_KEY } from "../build_id.ts";
import { buildCacheOf, type Context } from "../context.ts";
import type { Middleware } from "../middleware.ts";

const IMMUTABLE = "public, max-age=31536000, immutable";

/** Serves the static folder and the browser code of the build; other paths go on to the routes. */
export function staticFiles<State>(): Middleware<State> {
  return async function staticFilesMiddleware(ctx) {
    const path = decodedPath(ctx.url.pathname);
    if (path === null || path === "/") return await ctx.next();
    const file = await buildCacheOf(ctx).readFile(path);
    if (file === null) {
      // Browsers ask for it unasked; a rendered 404 page for each would be waste.
      return path === "/favicon.ico" ? new Response(null, { status: 404 }) : await ctx.next();
    }
    return withoutBody(ctx, file) ??
      new Response(file.content, { headers: headersOf(ctx, file) });
  };
}

function decodedPath(pathname: string): string | null {
  try {
    return `/${decodeURIComponent(pathname).split("/").filter(Boolean).join("/")}`;
  } catch {
    return null;
  }
}

/** The answer if it is one that does not send the file. */
function withoutBody<State>(ctx: Context<State>, file: StaticFile): Response | null {
  const { req, url } = ctx;
  if (req.method !== "GET" && req.method !== "HEAD") {
    return new Response("Method Not Allowed", { status: 405 });
  }
  const key = url.searchParams.get(ASSET_CACHE_BUST_KEY);
  if (key !== null && key !== buildCacheOf(ctx).buildId) {
    url.searchParams.delete(ASSET_CACHE_BUST_KEY);
    const location = url.pathname + url.search;
    return new Response(null, { status: 307, headers: { location } });
  }
  if (isProduction(ctx) && file.hash !== null) {
    const known = req.headers.get("If-None-Match");
    if (known === file.hash || known === weak(file.hash)) {
      return new Response(null, { status: 304, headers: baseHeaders(file) });
    }
  }
  return req.method === "HEAD" ? new Response(null, { headers: headersOf(ctx, file) }) : null;
}

function headersOf<State>(ctx: Context<State>, file: StaticFile): Headers {
  const headers = baseHeaders(file);
  headers.set("Content-Length", String(file.content.byteLength));
  if (isProduction(ctx) && file.hash !== null) headers.set("ETag", weak(file.hash));
  const caching = isImmutable(ctx) ? IMMUTABLE : "no-cache, no-store, max-age=0, must-revalidate";
  headers.set("Cache-Control", caching);
  return headers;
}

function baseHeaders(file: StaticFile): Headers {
  return new Headers({ "Content-Type": file.contentType, "Vary": "If-None-Match" });
}

function weak(hash: string): string {
  return `W/"${hash}"`;
}

/** The build id is in the URL, so the same URL never means another content. */
function isImmutable<State>(ctx: Context<State>): boolean {
  const { buildId } = buildCacheOf(ctx);
  return isProduction(ctx) && (
    ctx.url.searchParams.get(ASSET_CACHE_BUST_KEY) === buildId ||
    ctx.url.pathname.startsWith(`/_fresh/js/${buildId}/`)
  );
}

function isProduction<State>({ config }: Context<State>): boolean {
  return config.mode === "production";
}
