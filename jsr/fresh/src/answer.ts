import { STATUS_TEXT } from "@std/http/status";
import type { Context } from "./context.ts";
import { HttpError } from "./http_error.ts";
import type { Middleware } from "./middleware.ts";

/** Runs the chain; unhandled errors become plain text. */
export async function answer<State>(
  ctx: Context<State>,
  run: Middleware<State>,
): Promise<Response> {
  try {
    const res: unknown = await run(ctx);
    if (!(res instanceof Response)) {
      throw new Error(`A handler has to return a Response, but it returned: ${res}`);
    }
    return ctx.req.method.toUpperCase() === "HEAD" ? new Response(null, res) : res;
  } catch (error) {
    return answerUnhandled(error);
  }
}

function answerUnhandled(error: unknown): Response {
  if (!(error instanceof HttpError) || error.status >= 500) console.error(error);
  return error instanceof HttpError
    ? new Response(error.message || STATUS_TEXT[error.status], { status: error.status })
    : new Response("Internal server error", { status: 500 });
}

/** The end of every chain. */
export function answerNotFound(): never {
  throw new HttpError(404);
}

/** The end of the chain for a known path with another method. */
export function answerWrongMethod(method: string, allowed: string[]): Response {
  if (method !== "OPTIONS") throw new HttpError(405);
  return new Response(null, { status: 204, headers: { Allow: allowed.join(", ") } });
}
