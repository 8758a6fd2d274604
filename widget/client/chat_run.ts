/** One message and its answer, across broken connections. The base of the widget and of `chat()`. */
import type { Frame } from "../../lib/schemas/frames.ts";
import { SseDecoder } from "../../lib/schemas/frame_decoder.ts";
import {
  POLL,
  POLL_PAUSE_MS,
  queries,
  SILENCE_TIMEOUT_MS,
  START_TIMEOUT_MS,
} from "./buffered_streams.ts";
import { NETWORK_ERROR, readRejection, type Rejection } from "./rejection.ts";

export interface ChatMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
  /** Ids of uploaded files, of the user's messages only. */
  readonly attachments?: readonly string[] | undefined;
}

/** The body fields that the caller chooses. */
export interface Question {
  readonly messages: readonly ChatMessage[];
  readonly conversationId?: string | undefined;
  /** The run whose answer is asked for again, or whose question this message changes. */
  readonly replaces?: string | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly temperature?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
}

/** A message with its delivery state. A retry repeats it unchanged; it survives a reload. */
export interface Attempt extends Question {
  /** Its idempotency key; "" if it can only be resumed. */
  readonly key: string;
  run?: string;
  /** Number of the last frame that was handled; earlier frames are skipped. */
  n: number;
}

/** Provides session tokens. */
export interface TokenSource {
  /** Messages that the token may still send, updated with each response. */
  left: number;
  /** A token to use now, or "". */
  token(): Promise<string>;
  /** Why there is no token, if the minting backend said so. */
  readonly rejection?: Rejection | undefined;
  /** Called when the service rejects the token. False if there is no other. */
  renew(): Promise<boolean>;
}

export interface ChatRunOptions {
  /** Without a trailing slash. */
  readonly apiBase: string;
  readonly agentId: string;
  readonly session: TokenSource;
  readonly fetcher: typeof fetch;
  readonly newId: () => string;
  readonly now: () => number;
  /** Waits before the next attempt; may end early when the network is back. */
  readonly pause: (ms: number) => Promise<void>;
  /** Called with `true` when frames arrive, with `false` when it reconnects. */
  readonly onLink: (up: boolean) => void;
}

const MAX_ATTEMPTS = 6;

export class ChatRun {
  readonly attempt: Attempt;
  requestId = "";
  #options: ChatRunOptions;
  /** Aborts the open connection, which makes `frames` try the next one. */
  #connection: AbortController | undefined;
  #stopped = false;
  /** Time of the last byte, in milliseconds since the epoch. */
  #lastByteAt: number;
  /** The connection counts as dead after this silence, or as buffered before its first byte. */
  #timeout!: number;
  /** "" for streams. */
  #query: string;

  constructor(attempt: Attempt, options: ChatRunOptions) {
    this.attempt = attempt;
    this.#options = options;
    this.#lastByteAt = options.now();
    this.#query = queries[options.apiBase] ?? "";
  }

  /** Yields every frame after `attempt.n` once. Returns the rejection unless they end with `done`. */
  async *frames(): AsyncGenerator<Frame, Rejection | undefined> {
    const { attempt } = this;
    const { session, pause, onLink } = this.#options;
    let canResume = true;
    let renewed = false;
    for (let attempts = 0;;) {
      const before = attempt.n;
      const resuming = canResume && (before > 0 || !attempt.key);
      let rejection = yield* this.#connect(resuming);
      if (typeof rejection === "number") {
        attempts = 0;
        await pause(rejection);
        continue;
      }
      if (!rejection || this.#stopped) return;
      if (!renewed && (rejection.status === 401 || rejection.scope === "session_messages")) {
        renewed = await session.renew();
        if (renewed) continue;
        // It may be the network that keeps the page from another token.
        rejection = session.rejection ?? rejection;
      }
      const { status, scope } = rejection;
      // If the run cannot be resumed, send the message again; its key joins the same run.
      if (resuming && status === 404 && attempt.key) {
        canResume = false;
        continue;
      }
      // Its limit of resumes is that of a whole network, and frees up again.
      const isFinal = !attempt.run || status < 502 && scope !== "ip_resume";
      if (status && isFinal) return rejection;
      if (attempt.n > before) attempts = 0;
      if (++attempts > MAX_ATTEMPTS) return rejection;
      onLink(false);
      await pause(250 * 2 ** attempts);
      if (this.#stopped) return;
    }
  }

  /** Cancels the run, so that it costs nothing more. Its frames still end with `done`. */
  stop(): void {
    this.#stopped = true;
    if (this.attempt.run) this.#cancel();
  }

  /** Reconnects if the connection has been silent for this long (ms). */
  wake(silence: number): void {
    if (this.#options.now() - this.#lastByteAt >= silence) this.#connection?.abort();
  }

  /** Returns a number to connect again after this pause (ms), to go on by polls. */
  async *#connect(resuming: boolean): AsyncGenerator<Frame, Rejection | number | undefined> {
    const { attempt } = this;
    const { session, onLink } = this.#options;
    const token = await session.token();
    if (!token) return session.rejection ?? { status: 401, code: "session_token_missing" };
    const link = this.#connection = new AbortController();
    this.#timeout = this.#query ? SILENCE_TIMEOUT_MS : START_TIMEOUT_MS;
    try {
      const response = await this.#limitSilence(this.#request(token, resuming));
      const { headers, status } = response;
      this.requestId = headers.get("x-request-id") ?? "";
      // A poll for which nothing has happened, or the end of a run that was read before.
      if (status === 204) {
        onLink(true);
        return this.#query ? POLL_PAUSE_MS : undefined;
      }
      const isStream = /^text\/event-stream/.test(headers.get("content-type")!);
      if (!response.ok || !isStream) return await readRejection(response);
      attempt.run ??= headers.get("x-run-id")!;
      const [, left] = /"session_messages";r=(\d+)/.exec(headers.get("ratelimit")!) ?? [];
      if (left) session.left = +left;
      if (this.#stopped) this.#cancel();
      onLink(true);
      return yield* this.#read(response);
    } catch {
      return this.#timeout && NETWORK_ERROR;
    } finally {
      // Close the connection when the caller leaves the loop early.
      this.#connection = undefined;
      link.abort();
    }
  }

  #request(token: string, resuming: boolean): Promise<Response> {
    const { attempt: { key, run, n, ...question } } = this;
    const { apiBase, agentId, fetcher, newId } = this.#options;
    const common = {
      signal: this.#connection!.signal,
      credentials: "omit",
      cache: "no-store",
    } as const;
    const session = { "x-service-session": token };
    if (resuming) {
      return fetcher(`${apiBase}/v1/chat/runs/${run}/stream${this.#query}`, {
        ...common,
        headers: { ...session, "last-event-id": `${run}.${n}` },
      });
    }
    return fetcher(`${apiBase}/v1/chat/stream${this.#query}`, {
      ...common,
      method: "POST",
      headers: { ...session, "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify({ agentId, sessionToken: token, ...question, requestId: newId() }),
    });
  }

  async *#read(response: Response): AsyncGenerator<Frame, Rejection | number | undefined> {
    const decoder = new SseDecoder();
    const reader = response.body!.getReader();
    for (;;) {
      const { done, value } = await this.#limitSilence(reader.read());
      if (done) return this.#query ? POLL_PAUSE_MS : NETWORK_ERROR;
      this.#timeout = SILENCE_TIMEOUT_MS;
      for (const { id, data } of decoder.push(value)) {
        if (!acceptFrame(this.attempt, id)) continue;
        queries[this.#options.apiBase] = this.#query;
        const frame: Frame = JSON.parse(data);
        yield frame;
        if (frame.type === "done") return;
      }
    }
  }

  /** Aborts the connection when the next bytes take too long. */
  #limitSilence<T>(bytes: Promise<T>): Promise<T> {
    this.#lastByteAt = this.#options.now();
    const timer = setTimeout(() => {
      if (this.#timeout < SILENCE_TIMEOUT_MS) {
        this.#query = POLL;
        this.#timeout = 0;
      }
      this.#connection?.abort();
    }, this.#timeout);
    return bytes.finally(() => clearTimeout(timer));
  }

  #cancel(): void {
    const { apiBase, fetcher, session } = this.#options;
    // Without a reader the service ends the run.
    const giveUp = () => this.#connection?.abort();
    session.token().then((token) =>
      fetcher(`${apiBase}/v1/chat/runs/${this.attempt.run}/cancel`, {
        method: "POST",
        headers: { "x-service-session": token },
        credentials: "omit",
        keepalive: true,
      })
    ).then(({ ok }) => ok || giveUp(), giveUp);
  }
}

/** True for a frame that was not handled yet, which then counts as handled. */
function acceptFrame(attempt: Attempt, id: string): boolean {
  const [run, n] = id.split(".");
  if (!n) return true;
  if (run !== attempt.run) attempt.n = 0;
  attempt.run = run!;
  if (+n <= attempt.n) return false;
  attempt.n = +n;
  return true;
}
