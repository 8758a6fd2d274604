import type { FollowedRun } from "../chat/followed_run.ts";
import type { LoggedFrame } from "../chat/run_log.ts";
import { CALLED_OFF, type System } from "../system.ts";
import { Silence } from "./silence.ts";

/** A comment after this much silence keeps proxies and phones from dropping the connection. */
const HEARTBEAT_MS = 10_000;
/** What was sent waits for its reader this long. */
const STALLED_MS = 60_000;
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
  run: FollowedRun,
  options: { system: System; after?: number; headers?: Record<string, string> },
): Response {
  const silence = new Silence(options.system, HEARTBEAT_MS);
  let position = options.after ?? 0;
  let opened = false;
  let ended = false;
  let pulling = false;
  let watching = false;
  const left = new AbortController();
  run.watchers.enter();
  const leave = () => {
    if (left.signal.aborted) return;
    left.abort(CALLED_OFF);
    silence.end();
    run.watchers.leave();
    if (run.log.closed) run.watchers.settle();
  };

  /** What to send next: at least one frame, or a sign of life; empty when the reader has left. */
  async function nextText(): Promise<string> {
    if (!opened && run.log.length <= position && !run.log.closed) return RETRY;
    while (!left.signal.aborted) {
      const isThere = run.log.length > position || run.log.closed;
      if (!isThere && !await silence.broken(run.log.grown())) return PING;
      const frames = run.log.after(position);
      // The log of another process may still be behind what the client has seen.
      if (frames.length === 0 && !run.log.closed) continue;
      position += frames.length;
      ended = run.log.closed;
      return (opened ? "" : RETRY) + frames.map((one) => encodeFrame(run.id, one)).join("");
    }
    return "";
  }

  async function pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    pulling = true;
    const text = await nextText();
    pulling = false;
    if (left.signal.aborted) return;
    opened = true;
    if (text !== "") controller.enqueue(encoder.encode(text));
    if (!ended) return dropStalled(controller);
    controller.close();
    leave();
  }

  /** A reader that takes nothing for a while is no follower: it may come back and resume. */
  function dropStalled(controller: ReadableStreamDefaultController<Uint8Array>): void {
    if (watching) return;
    watching = true;
    options.system.sleep(STALLED_MS, left.signal).then(() => {
      watching = false;
      if (pulling) return;
      controller.error(new Error("the reader has stalled"));
      leave();
    }, () => {});
  }

  const body = new ReadableStream({ pull, cancel: leave }, { highWaterMark: 0 });
  return new Response(body, {
    headers: { ...SSE_HEADERS, "x-run-id": run.id, ...options.headers },
  });
}
