import type { Run } from "../chat/run.ts";
import type { LoggedFrame } from "../chat/run_log.ts";
import type { System } from "../system.ts";
import { Silence } from "./silence.ts";

/** A comment after this much silence keeps proxies and phones from dropping the connection. */
const HEARTBEAT_MS = 10_000;
const RETRY = "retry: 1500\n\n";
const PING = ": ping\n\n";
const encoder = new TextEncoder();

/** `no-transform` and `x-accel-buffering` keep proxies from compressing or holding back frames. */
export const SSE_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
} as const;

/** One frame on the wire: id, event, one line of JSON, a blank line. */
export function encodeFrame(runId: string, { n, frame }: LoggedFrame): string {
  return `id: ${runId}.${n}\nevent: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`;
}

/**
 * Streams a run's frames as its reader takes them: nothing is queued for a slow one beyond the chunk
 * under way, the log serves it when it asks again.
 */
export function sseResponse(
  run: Run,
  options: { system: System; after?: number; headers?: Record<string, string> },
): Response {
  const silence = new Silence(options.system, HEARTBEAT_MS);
  let position = options.after ?? 0;
  let opened = false;
  let left = false;
  run.watchers.enter();
  const leave = () => {
    if (left) return;
    left = true;
    silence.end();
    run.watchers.leave();
    if (run.log.closed) run.watchers.settle();
  };

  async function pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const send = (text: string) => controller.enqueue(encoder.encode(text));
    if (!opened && run.log.length === 0) {
      opened = true;
      return send(RETRY);
    }
    const isThere = run.log.length > position || run.log.closed;
    const woken = isThere || await silence.broken(run.log.grown());
    if (left) return;
    if (!woken) return send(PING);
    const frames = run.log.after(position);
    const text = frames.map((frame) => encodeFrame(run.id, frame)).join("");
    if (!opened || text !== "") send(opened ? text : RETRY + text);
    opened = true;
    position += frames.length;
    if (run.log.closed && position >= run.log.length) {
      controller.close();
      leave();
    }
  }

  const body = new ReadableStream({ pull, cancel: leave }, { highWaterMark: 0 });
  return new Response(body, {
    headers: { ...SSE_HEADERS, "x-run-id": run.id, ...options.headers },
  });
}
