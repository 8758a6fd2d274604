import type { HandoffFollower } from "../chat/handoff/handoff_follower.ts";
import { CANCELLED, type Runtime, setTimer } from "../platform/runtime.ts";
import { encodeUpdate, type FeedEncoder } from "./feed_response.ts";
import { SSE_HEADERS } from "./sse_response.ts";

/** The response to a poll that nothing has happened for. */
const NO_EVENTS = ": ping\n\n";
const encoder = new TextEncoder();

export interface FeedPollOptions {
  runtime: Runtime;
  /** How long to wait for an event, milliseconds. */
  waitMs: number;
  encoder: FeedEncoder;
  /** The follower's signal, which ends the wait. */
  ended: AbortController;
  /** Aborted when the process shuts down, and when the client leaves. */
  signals: readonly AbortSignal[];
  /** When the client's session ends, milliseconds. */
  until?: number | undefined;
}

/**
 * The events after a position as one finite body, which a proxy that buffers responses passes on: waits
 * until there is at least one. 204 once there is nothing more to follow, as for the stream; a comment if
 * the time is up, or the session or the process ends.
 */
export async function pollFeed(
  follower: HandoffFollower,
  { runtime, waitMs, encoder: events, ended, signals, until = Infinity }: FeedPollOptions,
): Promise<Response> {
  const end = () => ended.abort(CANCELLED);
  const left = Math.max(0, Math.min(waitMs, until - runtime.now()));
  const cancelTimer = setTimer(runtime, left, end);
  for (const signal of signals) {
    signal.addEventListener("abort", end, { once: true, signal: ended.signal });
    if (signal.aborted) end();
  }
  try {
    return toResponse(await nextText(follower, events));
  } catch (error) {
    if (!ended.signal.aborted) throw error;
    return toResponse(NO_EVENTS);
  } finally {
    cancelTimer();
    end();
  }
}

/** Empty once the feed is over and has no more events. */
async function nextText(follower: HandoffFollower, encoder: FeedEncoder): Promise<string> {
  for (;;) {
    const update = await follower.next();
    // The next request says why.
    if (update.kind !== "news") return NO_EVENTS;
    const text = encodeUpdate(update, encoder);
    if (text !== "" || update.isOver) return text;
  }
}

function toResponse(text: string): Response {
  if (text === "") return new Response(null, { status: 204 });
  const body = encoder.encode(text);
  const headers = { ...SSE_HEADERS, "content-length": String(body.length) };
  return new Response(body, { headers });
}
