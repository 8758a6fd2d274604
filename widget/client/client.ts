/** The client behind `client.v1.js`: one function, for pages and programs with a face of their own. */
import type { Frame } from "../../lib/schemas/frames.ts";
import { type Attempt, ChatRun, type TokenSource } from "./chat_run.ts";
import { pause } from "./pause.ts";
import type { Rejection } from "./rejection.ts";

/** `refused` is the token that the service no longer takes; "" at first. */
export type GiveToken = (refused: string) => string | Promise<string>;

/** Documented where it is typed for others: client.d.ts. */
export interface ChatOptions extends Omit<Attempt, "key" | "run" | "n"> {
  readonly apiBase: string;
  readonly agentId: string;
  readonly sessionToken: string | GiveToken;
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
}

/** Thrown by the iteration when no answer can be had. */
export class ChatError extends Error {
  override readonly name = "ChatError";
  readonly code: string;
  readonly status: number;
  readonly scope: string | undefined;
  readonly retryAfter: number | undefined;
  readonly requestId: string;

  constructor({ code, status, scope, retryAfter }: Rejection, requestId: string) {
    super(`the chat was refused: ${code}`);
    this.code = code;
    this.status = status;
    this.scope = scope;
    this.retryAfter = retryAfter;
    this.requestId = requestId;
  }
}

export function chat(options: ChatOptions): Chat {
  const { apiBase, agentId, sessionToken, idempotencyKey, after, ...rest } = options;
  const { onLink = () => {}, fetch: fetcher = fetch.bind(globalThis), ...question } = rest;
  const session = new Tokens(sessionToken);
  const [run, n] = (after ?? "").split(".");
  // Sent again under a key of its own, a run that cannot be resumed would be a second one.
  const key = idempotencyKey ?? (run ? "" : crypto.randomUUID());
  const attempt: Attempt = { ...question, key, n: Number(n ?? 0), ...(run && { run }) };
  const chatRun = new ChatRun(attempt, {
    apiBase: /^.*[^/]|/s.exec(apiBase)![0],
    agentId,
    session,
    fetcher,
    newId: () => crypto.randomUUID(),
    now: Date.now,
    pause,
    onLink,
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
    async *[Symbol.asyncIterator]() {
      const refusal = yield* chatRun.frames();
      if (refusal) throw new ChatError(refusal, chatRun.requestId);
    },
  };
}

/** A fixed token, or a function that is asked once more when one is refused. */
class Tokens implements TokenSource {
  left = NaN;
  #give: GiveToken;
  #token = "";

  constructor(given: string | GiveToken) {
    if (typeof given === "string") this.#token = given;
    this.#give = typeof given === "string" ? () => given : given;
  }

  async token(): Promise<string> {
    return this.#token ||= await this.#give("");
  }

  async renew(): Promise<boolean> {
    const refused = this.#token;
    this.#token = await this.#give(refused);
    return this.#token !== "" && this.#token !== refused;
  }
}
