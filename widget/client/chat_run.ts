/**
 * One message and its answer, across any number of broken connections. What the widget and the
 * client `chat()` are both built on.
 */
import type { Frame } from "../../lib/schemas/frames.ts";
import { SseDecoder } from "../../lib/schemas/frame_decoder.ts";
import { NETWORK_ERROR, readRejection, type Rejection } from "./rejection.ts";

export interface ChatMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
}

/** The fields of the body that are the caller's to choose. */
export interface Question {
  readonly messages: readonly ChatMessage[];
  readonly conversationId?: string | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly temperature?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
}

/** What is repeated, byte for byte apart from the token, when a connection broke. Survives a reload. */
export interface Attempt extends Question {
  /** Its idempotency key; "" when it may only be resumed. */
  readonly key: string;
  run?: string;
  /** Number of the last frame that was taken: a lower one is never taken again. */
  n: number;
}

/** Where tokens come from. */
export interface TokenSource {
  /** Messages that the token may still send, as the service tells with each it lets in. */
  left: number;
  /** A token to use now, or "". */
  token(): Promise<string>;
  /** Why there is none, where whoever mints has said so. */
  readonly rejection?: Rejection | undefined;
  /** The service refused the token: false when no other can be had. */
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
  /** Waits before the next try; may end early when the network is back. */
  readonly pause: (ms: number) => Promise<void>;
  /** The service answers with frames; `false` when the connection broke and is tried again. */
  readonly onLink: (up: boolean) => void;
}

const MAX_TRIES = 6;
/** The service is heard at least every 10 seconds; this much silence is a dead connection. */
const SILENCE_TIMEOUT_MS = 30_000;

export class ChatRun {
  readonly attempt: Attempt;
  requestId = "";
  #options: ChatRunOptions;
  /** The connection under way: aborting it drops that one, and the next is tried. */
  #connection: AbortController | undefined;
  #stopped = false;
  /** When bytes last came, in milliseconds since the epoch. */
  #lastByteAt: number;

  constructor(attempt: Attempt, options: ChatRunOptions) {
    this.attempt = attempt;
    this.#options = options;
    this.#lastByteAt = options.now();
  }

  /** Every frame after `attempt.n`, each once. Returns what ended them other than `done`. */
  async *frames(): AsyncGenerator<Frame, Rejection | undefined> {
    const { attempt } = this;
    const { session, pause, onLink } = this.#options;
    let canResume = true;
    let renewed = false;
    for (let tries = 0;;) {
      const before = attempt.n;
      const resuming = canResume && !!attempt.run && before > 0;
      const refusal = yield* this.#connect(resuming);
      if (!refusal || this.#stopped) return;
      const { status } = refusal;
      if (isSessionExpired(refusal) && !renewed && await session.renew()) {
        renewed = true;
        continue;
      }
      // Without the route the message is sent again: its key makes it the same run.
      if (resuming && status === 404 && attempt.key) {
        canResume = false;
        continue;
      }
      if (status && (!attempt.run || status < 502)) return refusal;
      if (attempt.n > before) tries = 0;
      if (++tries > MAX_TRIES) return refusal;
      onLink(false);
      await pause(250 * 2 ** tries);
      if (this.#stopped) return;
    }
  }

  /** Has the run cancelled, so that nothing more is paid for. Its frames end with its own `done`. */
  stop(): void {
    this.#stopped = true;
    if (this.attempt.run) this.#cancel();
  }

  /** Opens the connection anew if it has been silent for so long (ms). */
  wake(silence: number): void {
    if (this.#options.now() - this.#lastByteAt >= silence) this.#connection?.abort();
  }

  async *#connect(resuming: boolean): AsyncGenerator<Frame, Rejection | undefined> {
    const { attempt } = this;
    const { session, onLink } = this.#options;
    const token = await session.token();
    if (!token) return session.rejection ?? { status: 401, code: "session_token_missing" };
    const link = this.#connection = new AbortController();
    try {
      const response = await this.#request(token, resuming);
      const { headers, status } = response;
      this.requestId = headers.get("x-request-id") ?? "";
      if (status === 204) return;
      if (!isEventStream(response)) return await readRejection(response);
      attempt.run ??= headers.get("x-run-id") ?? "";
      const [, left] = /"session_messages";r=(\d+)/.exec(headers.get("ratelimit")!) ?? [];
      if (left) session.left = +left;
      if (this.#stopped) this.#cancel();
      onLink(true);
      return yield* this.#read(response);
    } catch {
      return NETWORK_ERROR;
    } finally {
      // A reader who leaves early must not hold the connection.
      this.#connection = undefined;
      link.abort();
    }
  }

  #request(token: string, resuming: boolean): Promise<Response> {
    const { attempt: { key, run, n, ...said } } = this;
    const { apiBase, agentId, fetcher, newId } = this.#options;
    const common = {
      signal: this.#connection!.signal,
      credentials: "omit",
      cache: "no-store",
    } as const;
    const session = { "x-service-session": token };
    if (resuming) {
      const after = `${apiBase}/v1/chat/runs/${run}/stream?after=${run}.${n}`;
      return fetcher(after, { ...common, headers: session });
    }
    return fetcher(`${apiBase}/v1/chat/stream`, {
      ...common,
      method: "POST",
      headers: { ...session, "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify({ agentId, sessionToken: token, ...said, requestId: newId() }),
    });
  }

  async *#read(response: Response): AsyncGenerator<Frame, Rejection | undefined> {
    const decoder = new SseDecoder();
    const reader = response.body!.getReader();
    for (;;) {
      this.#lastByteAt = this.#options.now();
      const timer = setTimeout(() => this.#connection?.abort(), SILENCE_TIMEOUT_MS);
      const { done, value } = await reader.read().finally(() => clearTimeout(timer));
      if (done) return NETWORK_ERROR;
      for (const { id, data } of decoder.push(value)) {
        if (!acceptFrame(this.attempt, id)) continue;
        const frame: Frame = JSON.parse(data);
        yield frame;
        if (frame.type === "done") return;
      }
    }
  }

  #cancel(): void {
    const { apiBase, fetcher, session } = this.#options;
    // A run that nobody watches ends by itself.
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

/** However often a frame is sent, it is taken once. */
function acceptFrame(attempt: Attempt, id: string): boolean {
  const [run, n] = id.split(".");
  if (!n) return true;
  if (run !== attempt.run) attempt.n = 0;
  attempt.run = run!;
  if (+n <= attempt.n) return false;
  attempt.n = +n;
  return true;
}

function isSessionExpired({ status, scope }: Rejection): boolean {
  return status === 401 || scope === "session_messages";
}

function isEventStream({ ok, body, headers }: Response): boolean {
  return ok && !!body && /^text\/event-stream/.test(headers.get("content-type")!);
}
