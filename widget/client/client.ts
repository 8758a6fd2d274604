/** The client behind `client.v1.js`: one function, for pages and programs with their own interface. */
import type { Frame } from "../../lib/schemas/frames.ts";
import { type Attempt, ChatRun, type TokenSource } from "./chat_run.ts";
import { pause } from "./pause.ts";
import type { Rejection } from "./rejection.ts";

/** `rejected` is the token that the service rejected; "" at first. */
export type GetToken = (rejected: string) => string | Promise<string>;

/** Documented in client.d.ts. */
export interface ChatOptions extends Omit<Attempt, "key" | "run" | "n"> {
  readonly apiBase: string;
  readonly agentId: string;
  readonly sessionToken: string | GetToken;
  readonly idempotencyKey?: string | undefined;
  readonly after?: string | undefined;
  readonly onLink?: ((up: boolean) => void) | undefined;
  readonly fetch?: typeof fetch | undefined;
}

export interface Chat extends AsyncIterable<Frame> {
  readonly position: string;
  readonly idempotencyKey: string;
  readonly requestId: string;
  readonly messagesLeft: number | undefined;
  stop(): void;
  close(): void;
}

/** Thrown by the iteration when the service cannot be reached or rejects the message. */
export class ChatError extends Error {
  override readonly name = "ChatError";
  declare readonly code: string;
  declare readonly status: number;
  declare readonly scope: string | undefined;
  declare readonly retryAfter: number | undefined;
  declare readonly requestId: string;

  constructor(rejection: Rejection, requestId: string) {
    super(`the service rejected the message: ${rejection.code}`);
    Object.assign(this, rejection, { requestId });
  }
}

export function chat(options: ChatOptions): Chat {
  const { apiBase, agentId, sessionToken, idempotencyKey, after, ...rest } = options;
  const { onLink = () => {}, fetch: fetcher = fetch.bind(globalThis), ...question } = rest;
  const closing = new AbortController();
  const session = new Tokens(sessionToken, closing.signal);
  const [run, n] = (after ?? "").split(".");
  // A new key would start a second run if the run given by `after` cannot be resumed.
  const key = idempotencyKey ?? (run ? "" : crypto.randomUUID());
  const attempt: Attempt = { ...question, key, n: Number(n ?? 0), ...(run && { run }) };
  const chatRun = new ChatRun(attempt, {
    apiBase: /^.*[^/]|/s.exec(apiBase)![0],
    agentId,
    session,
    fetcher,
    newId: () => crypto.randomUUID(),
    now: Date.now,
    pause: (ms) => pause(ms, closing.signal),
    onLink: (up) => closing.signal.aborted || onLink(up),
  });
  return {
    get position() {
      return attempt.run ? `${attempt.run}.${attempt.n}` : "";
    },
    idempotencyKey: key,
    get requestId() {
      return chatRun.requestId;
    },
    get messagesLeft() {
      return Number.isNaN(session.left) ? undefined : session.left;
    },
    stop: () => chatRun.stop(),
    close() {
      closing.abort();
      chatRun.wake(-Infinity);
    },
    async *[Symbol.asyncIterator]() {
      const rejection = yield* chatRun.frames();
      if (rejection && !closing.signal.aborted) throw new ChatError(rejection, chatRun.requestId);
    },
  };
}

/** A fixed token, or a function that is called again when its token is rejected. */
class Tokens implements TokenSource {
  left = NaN;
  #getToken: GetToken;
  #closing: AbortSignal;
  #token = "";

  /** After `closing` there is no token, so that nothing more is sent. */
  constructor(source: string | GetToken, closing: AbortSignal) {
    this.#closing = closing;
    this.#getToken = typeof source === "string" ? () => source : source;
  }

  async token(): Promise<string> {
    if (!this.#closing.aborted) this.#token ||= await this.#getToken("");
    return this.#closing.aborted ? "" : this.#token;
  }

  async renew(): Promise<boolean> {
    if (this.#closing.aborted) return false;
    const rejected = this.#token;
    this.#token = await this.#getToken(rejected);
    return this.#token !== "" && this.#token !== rejected;
  }
}
