import type { RequestHandler } from "../app.ts";

/** Where development pages listen for the server. */
export const ALIVE_PATH = "/_frsh/alive";

/** Tells connected pages which start of the server they talk to: a new one makes them reload. */
export function withLiveReload(handler: RequestHandler): RequestHandler {
  const revision = crypto.randomUUID();

  return async (req, info) => {
    if (new URL(req.url).pathname !== ALIVE_PATH) {
      return await handler(req, info);
    }
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(
          new TextEncoder().encode(`retry: 300\ndata: ${revision}\n\n`),
        );
      },
    });
    const headers = {
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-store",
    };
    return new Response(body, { headers });
  };
}
