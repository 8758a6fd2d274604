import type { FollowableRun } from "../chat/log/run_log.ts";
import { type Runtime, setTimer } from "../platform/runtime.ts";
import { encodeFrames, hasFrames } from "./encode_frames.ts";
import { NativeEncoder } from "./encoders/native_encoder.ts";
import { SSE_HEADERS } from "./sse_response.ts";

/** A client that polls still follows the run for this long after a response. */
const BETWEEN_POLLS_MS = 10_000;
/** Characters per response unless a single frame is longer; the next poll returns the rest at once. */
const MAX_LENGTH = 256 * 1024;
/** The response to a poll that nothing has happened for. */
const NO_FRAMES = ": ping\n\n";
const encoder = new TextEncoder();

interface PollOptions {
  runtime: Runtime;
  /** How long to wait for a frame, milliseconds. */
  waitMs: number;
  after?: number;
  headers?: Record<string, string>;
  /** What a poll gets that nothing has happened for: 204, or a comment that shows the run's id. */
  empty?: "204" | "comment";
  /** Aborted when the process shuts down. */
  closing?: AbortSignal | undefined;
  /** Aborted when the client leaves. */
  gone?: AbortSignal | undefined;
}

/**
 * The frames after a position as one finite body, which a proxy that buffers responses passes on: waits
 * until there is at least one. The bytes are those of the stream.
 */
export async function pollResponse(
  run: FollowableRun,
  { runtime, waitMs, after = 0, headers: given, empty = "204", closing, gone }: PollOptions,
): Promise<Response> {
  run.followers.enter();
  try {
    await waitForFrames(run, { runtime, waitMs, after, signals: [closing, gone] });
    const frames = new NativeEncoder(run.id);
    const { text, last } = encodeFrames(run.log, { after, length: MAX_LENGTH, encoder: frames });
    // No process may send the end of an interrupted run again.
    if (run.log.interrupted && last?.frame.type === "done") await run.recordEnd?.(last.n);
    const headers = { "x-run-id": run.id, ...given };
    if (text === "" && empty === "204") return new Response(null, { status: 204, headers });
    const body = encoder.encode(frames.opening + (text || NO_FRAMES));
    const length = { "content-length": String(body.length) };
    return new Response(body, { headers: { ...SSE_HEADERS, ...length, ...headers } });
  } finally {
    leaveLater(run, { runtime, closing });
  }
}

/**
 * Resolves when there is a frame after the position, the time is up, or a signal is aborted. Frames that
 * are appended in one turn are there by then.
 */
function waitForFrames(
  { log }: FollowableRun,
  { runtime, waitMs, after, signals }: Pick<PollOptions, "runtime" | "waitMs"> & {
    after: number;
    signals: readonly (AbortSignal | undefined)[];
  },
): Promise<void> {
  const given = signals.filter((signal) => signal !== undefined);
  if (hasFrames(log, after) || waitMs <= 0 || given.some(({ aborted }) => aborted)) {
    return Promise.resolve();
  }
  return new Promise((resolve) => {
    const ended = new AbortController();
    let cancelWait = () => {};
    const end = () => {
      ended.abort();
      cancelTimer();
      cancelWait();
      resolve();
    };
    const cancelTimer = setTimer(runtime, waitMs, end);
    const check = () => {
      if (hasFrames(log, after)) end();
      else cancelWait = log.onNextAppend(check);
    };
    for (const signal of given) {
      signal.addEventListener("abort", end, { once: true, signal: ended.signal });
    }
    check();
  });
}

/** Keeps the client among the run's followers until its next poll is due. */
function leaveLater(
  { followers, log }: FollowableRun,
  { runtime, closing }: Pick<PollOptions, "runtime" | "closing">,
): void {
  const left = new AbortController();
  const leave = () => {
    left.abort();
    cancelTimer();
    followers.leave();
    if (log.closed) followers.settle();
  };
  const isOver = log.closed || closing?.aborted === true;
  const cancelTimer = isOver ? () => {} : setTimer(runtime, BETWEEN_POLLS_MS, leave);
  if (isOver) leave();
  else closing?.addEventListener("abort", leave, { once: true, signal: left.signal });
}
