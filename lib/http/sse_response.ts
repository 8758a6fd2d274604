import type { FollowableRun, LoggedFrame } from "../chat/log/run_log.ts";
import { CANCELLED, type Runtime, setTimer } from "../platform/runtime.ts";
import { NativeEncoder } from "./encoders/native_encoder.ts";
import type { StreamEncoder } from "./encoders/stream_encoder.ts";
import { encodeFrames, hasFrames } from "./encode_frames.ts";
import { IdleTimer } from "./idle_timer.ts";

/** Idle time after which a comment is sent, so that proxies and phones keep the connection open. */
const HEARTBEAT_MS = 10_000;
/** Time after which a client that does not read is disconnected. */
const STALL_TIMEOUT_MS = 60_000;
const ACCESS_POLL_MS = 5_000;
/** Characters per chunk unless a single frame is longer; bounds the memory of a stalled reader. */
const CHUNK_LENGTH = 64 * 1024;
const encoder = new TextEncoder();

/** `no-transform` and `x-accel-buffering` stop proxies from compressing or buffering frames. */
export const SSE_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
} as const;

export function isEventStream({ headers }: Response): boolean {
  return headers.get("content-type")?.startsWith("text/event-stream") ?? false;
}

interface SseOptions {
  runtime: Runtime;
  after?: number;
  headers?: Record<string, string>;
  /** Aborted when the process shuts down: ends the stream, and the client resumes elsewhere. */
  closing?: AbortSignal;
  /** Asked every few seconds: false ends the stream, because the client has lost its access. */
  isAllowed?: () => Promise<boolean>;
  /** The client's format; the frames themselves by default. */
  encoder?: StreamEncoder;
}

export function sseResponse(run: FollowableRun, options: SseOptions): Response {
  const encoder: StreamEncoder = options.encoder ?? new NativeEncoder(run.id);
  const source = new RunFrameSource(run, { ...options, encoder });
  return new Response(new ReadableStream(source, { highWaterMark: 0 }), {
    headers: { ...SSE_HEADERS, "x-run-id": run.id, ...encoder.headers, ...options.headers },
  });
}

/** Streams a run to one client. At most one chunk is queued; slow clients are served from the log. */
class RunFrameSource implements UnderlyingDefaultSource<Uint8Array> {
  readonly #run: FollowableRun;
  readonly #options: SseOptions & { encoder: StreamEncoder };
  readonly #idle: IdleTimer;
  readonly #finished = new AbortController();
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #position: number;
  /** The last frame that the encoder has seen, which need not have been sent here. */
  #encoded = 0;
  #isOpen = false;
  /** The last frame has been sent. */
  #isOver = false;
  /** True while the client has read everything sent. */
  #isReaderWaiting = false;
  #cancelStallTimer: (() => void) | undefined;
  #cancelPoll: (() => void) | undefined;
  #cancelWait: (() => void) | undefined;
  #sentAt = 0;

  constructor(run: FollowableRun, options: SseOptions & { encoder: StreamEncoder }) {
    this.#run = run;
    this.#options = options;
    this.#idle = new IdleTimer(options.runtime, { ms: HEARTBEAT_MS, onIdle: () => this.#ping() });
    this.#position = options.after ?? 0;
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
    this.#run.followers.enter();
    const { closing } = this.#options;
    const { signal } = this.#finished;
    closing?.addEventListener("abort", () => this.#endEarly(), { once: true, signal });
    if (closing?.aborted) this.#endEarly();
    this.#pollAccess();
  }

  /** The client has read everything: sends the next frames, as soon as there are any. */
  pull(): void {
    this.#isReaderWaiting = true;
    this.#idle.restart();
    this.#proceed();
  }

  /** The client has left. */
  cancel(): void {
    if (!this.#finished.signal.aborted) this.#finish();
  }

  readonly #proceed = (): void => {
    if (this.#finished.signal.aborted) return;
    if (!this.#hasFrames) {
      if (!this.#isOpen && this.#sendChunk("")) return;
      this.#cancelWait = this.#run.log.onNextAppend(this.#onAppend);
    } else if (this.#run.log.interrupted) void this.#sendInterruption();
    else this.#sendNext();
  };

  /** Frames that are appended in one turn are sent together. */
  readonly #onAppend = (): void => queueMicrotask(this.#proceed);

  #sendNext(): void {
    const sent = this.#sendFrames(CHUNK_LENGTH);
    if (this.#isOver) return this.#end();
    // A format without an event for a frame sends nothing for it, so the next one is awaited.
    if (!sent) this.#proceed();
  }

  async #sendInterruption(): Promise<void> {
    try {
      await this.#recordEnd();
      if (!this.#finished.signal.aborted) this.#sendNext();
    } catch (error) {
      this.#fail(error);
    }
  }

  #ping(): void {
    if (this.#isReaderWaiting && !this.#hasFrames) this.#sendChunk(": ping\n\n");
  }

  get #hasFrames(): boolean {
    return hasFrames(this.#run.log, this.#position);
  }

  /** Records that an interrupted run was sent completely, so that no process sends its end again. */
  async #recordEnd(): Promise<void> {
    const { log, recordEnd } = this.#run;
    const last = log.interrupted ? log.after(this.#position).at(-1) : undefined;
    if (last !== undefined) await recordEnd?.call(this.#run, last.n);
  }

  /** Sends at least one frame and up to about `length` characters; false if they have no event. */
  #sendFrames(length: number): boolean {
    const { log } = this.#run;
    this.#catchUp();
    const { encoder } = this.#options;
    const { text, last } = encodeFrames(log, { after: this.#position, length, encoder });
    this.#position = this.#encoded = last?.n ?? this.#position;
    this.#isOver = log.closed && (last === undefined || last.frame.type === "done");
    const pause = this.#isWaiting(last) ? encoder.pause?.() : undefined;
    if (pause !== undefined) this.#isOver = true;
    return this.#sendChunk(text + (pause ?? ""));
  }

  /** True if the run waits for an answer to the call that was just sent. */
  #isWaiting(last: LoggedFrame | undefined): boolean {
    const isPending = last?.frame.type === "tool_call" && last.frame.pending === true;
    return isPending && !hasFrames(this.#run.log, last.n);
  }

  /** Shows the encoder the frames that the client has had before. */
  #catchUp(): void {
    // Frames of our own do not depend on earlier ones.
    if (this.#options.encoder.resumes || this.#encoded === this.#position) return;
    for (const logged of this.#run.log.after(this.#encoded)) {
      if (logged.n > this.#position) break;
      this.#options.encoder.encode(logged);
    }
  }

  /** False if there is nothing to send. */
  #sendChunk(text: string): boolean {
    const whole = (this.#isOpen ? "" : this.#options.encoder.opening) + text;
    this.#isOpen = true;
    if (whole === "") return false;
    this.#cancelWait?.();
    this.#isReaderWaiting = false;
    this.#sentAt = this.#options.runtime.now();
    this.#watchForStall();
    this.#controller.enqueue(encoder.encode(whole));
    return true;
  }

  /**
   * Sends all available frames and ends the stream before the run ends. A client that does not come back
   * must see that.
   */
  #endEarly(): void {
    if (this.#hasFrames) this.#sendFrames(Infinity);
    if (this.#isOver || this.#options.encoder.resumes) return this.#end();
    this.#fail(new Error("the service is shutting down"));
  }

  #pollAccess(): void {
    const { runtime, isAllowed } = this.#options;
    if (isAllowed === undefined || this.#finished.signal.aborted) return;
    this.#cancelPoll = setTimer(runtime, ACCESS_POLL_MS, async () => {
      // A store that does not answer says nothing about rights.
      if (await isAllowed().catch(() => true)) this.#pollAccess();
      else this.#fail(new Error("the client has lost its access"));
    });
  }

  #fail(error: unknown): void {
    if (this.#finished.signal.aborted) return;
    this.#controller.error(error);
    this.#finish();
  }

  #end(): void {
    // The client may have left, or read the last chunk, while it was enqueued.
    if (this.#finished.signal.aborted) return;
    this.#controller.close();
    this.#finish();
  }

  #finish(): void {
    this.#finished.abort(CANCELLED);
    this.#cancelStallTimer?.();
    this.#cancelPoll?.();
    this.#cancelWait?.();
    this.#idle.stop();
    this.#run.followers.leave();
    if (this.#run.log.closed) this.#run.followers.settle();
  }

  /** Disconnects a client that stopped reading; it can resume. */
  #watchForStall(): void {
    if (this.#cancelStallTimer !== undefined) return;
    const { runtime } = this.#options;
    const due = this.#sentAt + STALL_TIMEOUT_MS;
    this.#cancelStallTimer = setTimer(runtime, due - runtime.now(), () => {
      this.#cancelStallTimer = undefined;
      if (this.#isReaderWaiting) return;
      if (runtime.now() < this.#sentAt + STALL_TIMEOUT_MS) return this.#watchForStall();
      this.#fail(new Error("the client stopped reading"));
    });
  }
}
