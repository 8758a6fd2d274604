import type { FollowableRun, LoggedFrame } from "../chat/run_log.ts";
import { CANCELLED, type Runtime, setTimer } from "../platform/runtime.ts";
import { IdleTimer } from "./idle_timer.ts";

/** A comment after this much silence keeps proxies and phones from dropping the connection. */
const HEARTBEAT_MS = 10_000;
/** What was sent waits for its reader this long. */
const STALL_TIMEOUT_MS = 60_000;
/** Characters of one chunk, unless a single frame is longer: what a stalled reader costs in memory. */
const CHUNK_LENGTH = 64 * 1024;
const RETRY_FIELD = "retry: 1500\n\n";
const PING_COMMENT = ": ping\n\n";
const encoder = new TextEncoder();

/** `no-transform` and `x-accel-buffering` keep proxies from compressing or holding back frames. */
export const SSE_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
} as const;

/** What a stream is answered with. */
export interface SseOptions {
  runtime: Runtime;
  /** The frame after which it begins. */
  after?: number;
  headers?: Record<string, string>;
  /** Ends every stream, when the process does: who is not at the end yet resumes elsewhere. */
  closing?: AbortSignal;
}

/** One frame on the wire: id, event, one line of JSON, a blank line. */
export function encodeFrame(runId: string, { n, frame }: LoggedFrame): string {
  return `id: ${runId}.${n}\nevent: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`;
}

/** Streams a run's frames as its reader takes them. */
export function sseResponse(run: FollowableRun, options: SseOptions): Response {
  const body = new ReadableStream(new RunFrameSource(run, options), { highWaterMark: 0 });
  return new Response(body, {
    headers: { ...SSE_HEADERS, "x-run-id": run.id, ...options.headers },
  });
}

/**
 * One follower of a run: nothing is queued for a slow one beyond the chunk under way, the log serves
 * it when it asks again.
 */
class RunFrameSource implements UnderlyingDefaultSource<Uint8Array> {
  readonly #run: FollowableRun;
  readonly #options: SseOptions;
  readonly #idle: IdleTimer;
  /** Aborted when there is no reader any more, or nothing more for it. */
  readonly #finished = new AbortController();
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #position: number;
  #isOpen = false;
  /** The reader has taken all that was sent. */
  #isReaderWaiting = false;
  /** Calls the watch for a stalled reader off, while there is one. */
  #cancelStallTimer: (() => void) | undefined;
  #sentAt = 0;

  constructor(run: FollowableRun, options: SseOptions) {
    this.#run = run;
    this.#options = options;
    this.#idle = new IdleTimer(options.runtime, HEARTBEAT_MS);
    this.#position = options.after ?? 0;
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
    this.#run.watchers.enter();
    const { closing } = this.#options;
    const { signal } = this.#finished;
    closing?.addEventListener("abort", () => this.#endEarly(), { once: true, signal });
    if (closing?.aborted) this.#endEarly();
  }

  async pull(): Promise<void> {
    this.#isReaderWaiting = true;
    const isNews = this.#hasFrames || (this.#isOpen && await this.#idle.waitFor(this.#nextFrame()));
    this.#isReaderWaiting = false;
    if (isNews) await this.#recordEnd();
    if (this.#finished.signal.aborted) return;
    const ended = isNews
      ? this.#sendFrames(CHUNK_LENGTH)
      : this.#send(this.#isOpen ? PING_COMMENT : "");
    if (ended) this.#end();
    else this.#watchForStall();
  }

  cancel(): void {
    if (this.#finished.signal.aborted) return;
    this.#finished.abort(CANCELLED);
    this.#cancelStallTimer?.();
    this.#idle.stop();
    this.#run.watchers.leave();
    if (this.#run.log.closed) this.#run.watchers.settle();
  }

  /** The log of another process may still be behind what the client has seen. */
  get #hasFrames(): boolean {
    const { log } = this.#run;
    return log.closed || log.length > this.#position;
  }

  async #nextFrame(): Promise<void> {
    while (!this.#hasFrames) await this.#run.log.nextAppend();
  }

  /** Whoever comes back after the end of an interrupted run has nothing left, in any process. */
  async #recordEnd(): Promise<void> {
    const { log, recordEnd } = this.#run;
    const last = log.interrupted ? log.after(this.#position).at(-1) : undefined;
    if (last !== undefined) await recordEnd?.call(this.#run, last.n);
  }

  /** Sends the next frames, at least one and up to about `length` characters; true after the last. */
  #sendFrames(length: number): boolean {
    const { id, log } = this.#run;
    let text = "";
    let last: LoggedFrame | undefined;
    for (const one of log.after(this.#position)) {
      last = one;
      text += encodeFrame(id, one);
      // An interruption is told after whatever its reader has: its two frames go together.
      if (text.length >= length && one.frame.type !== "error") break;
    }
    this.#position = last?.n ?? this.#position;
    this.#send(text);
    return log.closed && (last === undefined || last.frame.type === "done");
  }

  #send(text: string): false {
    const whole = (this.#isOpen ? "" : RETRY_FIELD) + text;
    this.#isOpen = true;
    this.#sentAt = this.#options.runtime.now();
    if (whole !== "") this.#controller.enqueue(encoder.encode(whole));
    return false;
  }

  /** Ends the stream before the run's end, with all there is of it by now. */
  #endEarly(): void {
    if (this.#hasFrames) this.#sendFrames(Infinity);
    this.#end();
  }

  #end(): void {
    this.#controller.close();
    this.cancel();
  }

  /** A reader that takes nothing for a while is no follower: it may come back and resume. */
  #watchForStall(): void {
    if (this.#cancelStallTimer !== undefined) return;
    const { runtime } = this.#options;
    const due = this.#sentAt + STALL_TIMEOUT_MS;
    this.#cancelStallTimer = setTimer(runtime, due - runtime.now(), () => {
      this.#cancelStallTimer = undefined;
      if (this.#isReaderWaiting) return;
      if (runtime.now() < this.#sentAt + STALL_TIMEOUT_MS) return this.#watchForStall();
      this.#controller.error(new Error("the reader has stalled"));
      this.cancel();
    });
  }
}
