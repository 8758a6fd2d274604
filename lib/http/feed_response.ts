import type { FeedUpdate, HandoffFollower } from "../chat/handoff/handoff_follower.ts";
import { CANCELLED, type Runtime, setTimer } from "../platform/runtime.ts";
import type { NumberedEntry } from "../store/handoffs/handoff_record.ts";
import { SSE_HEADERS } from "./sse_response.ts";

/** Idle time after which a comment is sent, so that proxies and phones keep the connection open. */
const HEARTBEAT_MS = 10_000;
/** Time after which a client that does not read is disconnected. */
const STALL_TIMEOUT_MS = 60_000;

/** What a client of a feed receives for an entry; entries without a text are not sent. */
export interface FeedEncoder {
  encode(entry: NumberedEntry): string | undefined;
  typing: string;
}

export interface FeedOptions {
  runtime: Runtime;
  encoder: FeedEncoder;
  /** Aborted by the stream when it ends; the follower uses it too. */
  ended: AbortController;
  /** Aborted when the process shuts down: the client comes back elsewhere. */
  closing: AbortSignal;
  /** When the client's session ends, milliseconds. */
  until?: number | undefined;
  onEnd?: () => void;
}

/** Streams the feed of a hand-off to one client, as far as it reads. */
export function feedResponse(follower: HandoffFollower, options: FeedOptions): Response {
  const source = new FeedSource(follower, options);
  return new Response(new ReadableStream(source, { highWaterMark: 0 }), { headers: SSE_HEADERS });
}

/** The events of an update; empty if all of it is for the other side. */
export function encodeUpdate(
  { entries, isTyping }: Extract<FeedUpdate, { kind: "news" }>,
  encoder: FeedEncoder,
): string {
  const events = entries.map((entry) => encoder.encode(entry) ?? "");
  return events.join("") + (isTyping ? encoder.typing : "");
}

class FeedSource implements UnderlyingDefaultSource<Uint8Array> {
  readonly #follower: HandoffFollower;
  readonly #options: FeedOptions;
  readonly #utf8 = new TextEncoder();
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #pending: ReturnType<HandoffFollower["next"]> | undefined;
  #isOpen = false;
  #cancelStallTimer: (() => void) | undefined;
  #cancelExpiry: (() => void) | undefined;

  constructor(follower: HandoffFollower, options: FeedOptions) {
    this.#follower = follower;
    this.#options = options;
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
    const { closing, ended, runtime, until } = this.#options;
    const end = () => this.#end();
    closing.addEventListener("abort", end, { once: true, signal: ended.signal });
    if (until !== undefined) {
      this.#cancelExpiry = setTimer(runtime, Math.max(0, until - runtime.now()), end);
    }
    if (closing.aborted) end();
  }

  /** The client has read everything: sends the next news, or a comment after 10 s. */
  async pull(): Promise<void> {
    this.#cancelStallTimer?.();
    if (!this.#isOpen) return this.#send("retry: 1500\n\n");
    try {
      await this.#sendNext();
    } catch (error) {
      if (this.#options.ended.signal.aborted) return;
      this.#controller.error(error);
      this.#finish();
    }
  }

  /** The client has left. */
  cancel(): void {
    this.#finish();
  }

  async #sendNext(): Promise<void> {
    for (;;) {
      this.#pending ??= this.#follower.next();
      const update = await this.#orHeartbeat(this.#pending);
      if (this.#options.ended.signal.aborted) return;
      if (update === undefined) return this.#send(": ping\n\n");
      this.#pending = undefined;
      if (update.kind !== "news") return this.#end();
      const text = encodeUpdate(update, this.#options.encoder);
      if (text !== "") this.#send(text);
      if (update.isOver) return this.#end();
      if (text !== "") return;
    }
  }

  async #orHeartbeat<T>(news: Promise<T>): Promise<T | undefined> {
    const { runtime, ended } = this.#options;
    const waiting = new AbortController();
    const signal = AbortSignal.any([waiting.signal, ended.signal]);
    const elapsed = runtime.sleep(HEARTBEAT_MS, signal).then(() => undefined, () => undefined);
    try {
      return await Promise.race([news, elapsed]);
    } finally {
      waiting.abort(CANCELLED);
    }
  }

  #send(text: string): void {
    this.#isOpen = true;
    this.#controller.enqueue(this.#utf8.encode(text));
    this.#cancelStallTimer = setTimer(this.#options.runtime, STALL_TIMEOUT_MS, () => {
      if (this.#options.ended.signal.aborted) return;
      this.#controller.error(new Error("the client stopped reading"));
      this.#finish();
    });
  }

  #end(): void {
    if (this.#options.ended.signal.aborted) return;
    this.#controller.close();
    this.#finish();
  }

  #finish(): void {
    const { ended, onEnd } = this.#options;
    if (ended.signal.aborted) return;
    ended.abort(CANCELLED);
    this.#cancelStallTimer?.();
    this.#cancelExpiry?.();
    // It fails because of the abort.
    this.#pending?.catch(() => {});
    onEnd?.();
  }
}
