import type { RequestHandler } from "../listen.ts";

/** Where development pages listen for the server. */
const ALIVE_PATH = "/_frsh/alive";

/** Sends connected pages the id of this start of the server; they reload when it changes. */
export function withLiveReload(handler: RequestHandler): RequestHandler {
  const event = new TextEncoder().encode(`retry: 300\ndata: ${crypto.randomUUID()}\n\n`);

  return async (req, info) => {
    if (new URL(req.url).pathname !== ALIVE_PATH) return await handler(req, info);
    // Stays open, so that the page notices a restart.
    const body = new ReadableStream({ start: (controller) => controller.enqueue(event) });
    const headers = { "Content-Type": "text/event-stream", "Cache-Control": "no-store" };
    return new Response(body, { headers });
  };
}
