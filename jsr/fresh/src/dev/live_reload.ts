import type { RequestHandler } from "../listen.ts";

/** Where development pages listen for the server. */
const ALIVE_PATH = "/_frsh/alive";

/** Tells connected pages which start of the server they talk to: a new one makes them reload. */
export function withLiveReload(handler: RequestHandler): RequestHandler {
  const event = new TextEncoder().encode(`retry: 300\ndata: ${crypto.randomUUID()}\n\n`);

  return async (req, info) => {
    if (new URL(req.url).pathname !== ALIVE_PATH) return await handler(req, info);
    // It stays open: the page learns of a restart by losing it.
    const body = new ReadableStream({ start: (controller) => controller.enqueue(event) });
    const headers = { "Content-Type": "text/event-stream", "Cache-Control": "no-store" };
    return new Response(body, { headers });
  };
}
