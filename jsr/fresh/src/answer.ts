import type { ResolvedFreshConfig } from "./config.ts";
import type { Context } from "./context.ts";
import { ERROR_STATUS_TEXT, HttpError } from "./http_error.ts";
import type { Middleware } from "./middlewares/mod.ts";

/** The URL that routes and handlers see. */
export function requestUrl(req: Request, { trustProxy }: ResolvedFreshConfig): URL {
  const url = new URL(req.url);
  // A path that begins with two slashes would be another host if it were ever redirected to.
  url.pathname = url.pathname.replace(/\/+/g, "/");
  if (trustProxy) {
    const protocol = req.headers.get("X-Forwarded-Proto");
    const host = req.headers.get("X-Forwarded-Host");
    if (protocol) url.protocol = `${protocol}:`;
    if (host) url.host = host;
  }
  return url;
}

/** Runs the chain; what it throws that nobody has handled becomes plain text. */
export async function answer<State>(
  ctx: Context<State>,
  run: Middleware<State>,
): Promise<Response> {
  try {
    const res: unknown = await run(ctx);
    if (!(res instanceof Response)) {
      throw new Error(
        `A handler has to return a Response, but it returned: ${res}`,
      );
    }
    return ctx.req.method.toUpperCase() === "HEAD" ? new Response(null, res) : res;
  } catch (error) {
    return answerUnhandled(error);
  }
}

function answerUnhandled(error: unknown): Response {
  if (!(error instanceof HttpError) || error.status >= 500) {
    console.error(error);
  }
  if (!(error instanceof HttpError)) {
    return new Response("Internal server error", { status: 500 });
  }
  return new Response(error.message || ERROR_STATUS_TEXT[error.status], {
    status: error.status,
  });
}

/** End of every chain that nothing has answered. */
export function answerNotFound(): never {
  throw new HttpError(404);
}

/** End of the chain for a path that is known, but not with this verb. */
export function answerWrongMethod(
  method: string,
  allowed: string[],
): () => Promise<Response> {
  if (method !== "OPTIONS") {
    return () => {
      throw new HttpError(405);
    };
  }
  const headers = { Allow: allowed.join(", ") };
  return () => Promise.resolve(new Response(null, { status: 204, headers }));
}
