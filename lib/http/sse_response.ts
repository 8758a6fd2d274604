import type { FollowableRun } from "../chat/followed_run.ts";
import type { LoggedFrame } from "../chat/run_log.ts";
import { CANCELLED, type Runtime, setTimer } from "../system.ts";
import { Silence } from "./silence.ts";

/** A comment after this much silence keeps proxies and phones from dropping the connection. */
const HEARTBEAT_MS = 10_000;
/** What was sent waits for its reader this long. */
const STALLED_MS = 60_000;
/** Characters of one chunk, unless a single frame is longer: what a stalled reader costs in memory. */
const CHUNK_LENGTH = 64 * 1024;
const RETRY = "retry: 1500\n\n";
const PING = ": ping\n\n";
const encoder = new TextEncoder();

/** `no-transform` and `x-accel-buffering` keep proxies from compressing or holding back frames. */
export const SSE_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
} as const;

/** What a stream is answered with. */
export interface SseOptions {
  system: Runtime;
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
  const body = new ReadableStream(new FrameSource(run, options), { highWaterMark: 0 });
  return new Response(body, {
    headers: { ...SSE_HEADERS, "x-run-id": run.id, ...options.headers },
  });
}

/**
 * One follower of a run: nothing is queued for a slow one beyond the chunk under way, the log serves
 * it when it asks again.
 */
class FrameSource implements UnderlyingDefaultSource<Uint8Array> {
  readonly #run: FollowableRun;
  readonly #options: SseOptions;
  readonly #silence: Silence;
  /** Aborted when there is no reader any more, or nothing more for it. */
  readonly #left = new AbortController();
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #position: number;
  #opened = false;
  /** The reader has taken all that was sent. */
  #waiting = false;
  /** Calls the watch for a stalled reader off, while there is one. */
  #unguard: (() => void) | undefined;
  #sentAt = 0;

  constructor(run: FollowableRun, options: SseOptions) {
    this.#run = run;
    this.#options = options;
    this.#silence = new Silence(options.system, HEARTBEAT_MS);
    this.#position = options.after ?? 0;
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
    this.#run.watchers.enter();
    const { closing } = this.#options;
    const { signal } = this.#left;
    closing?.addEventListener("abort", () => this.#breakOff(), { once: true, signal });
    if (closing?.aborted) this.#breakOff();
  }

  async pull(): Promise<void> {
    this.#waiting = true;
    const isNews = this.#hasNews || (this.#opened && await this.#silence.broken(this.#news()));
    this.#waiting = false;
    if (isNews) await this.#noteEnd();
    if (this.#left.signal.aborted) return;
    const ended = isNews ? this.#sendFrames(CHUNK_LENGTH) : this.#send(this.#opened ? PING : "");
    if (ended) this.#end();
    else this.#guard();
  }

  cancel(): void {
    if (this.#left.signal.aborted) return;
    this.#left.abort(CANCELLED);
    this.#unguard?.();
    this.#silence.end();
    this.#run.watchers.leave();
    if (this.#run.log.closed) this.#run.watchers.settle();
  }

  /** The log of another process may still be behind what the client has seen. */
  get #hasNews(): boolean {
    const { log } = this.#run;
    return log.closed || log.length > this.#position;
  }

  async #news(): Promise<void> {
    while (!this.#hasNews) await this.#run.log.nextAppend();
  }

  /** Whoever comes back after the end of an interrupted run has nothing left, in any process. */
  async #noteEnd(): Promise<void> {
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
    const whole = (this.#opened ? "" : RETRY) + text;
    this.#opened = true;
    this.#sentAt = this.#options.system.now();
    if (whole !== "") this.#controller.enqueue(encoder.encode(whole));
    return false;
  }

  /** Ends the stream before the run's end, with all there is of it by now. */
  #breakOff(): void {
    if (this.#hasNews) this.#sendFrames(Infinity);
    this.#end();
  }

  #end(): void {
    this.#controller.close();
    this.cancel();
  }

  /** A reader that takes nothing for a while is no follower: it may come back and resume. */
  #guard(): void {
    if (this.#unguard !== undefined) return;
    const { system } = this.#options;
    const due = this.#sentAt + STALLED_MS;
    this.#unguard = setTimer(system, due - system.now(), () => {
      this.#unguard = undefined;
      if (this.#waiting) return;
      if (system.now() < this.#sentAt + STALLED_MS) return this.#guard();
      this.#controller.error(new Error("the reader has stalled"));
      this.cancel();
    });
  }
}
