/** One conversation: asks, follows the answer, stops it, tries again. Knows no DOM. */
import type { Frame } from "../lib/wire/frames.ts";
import type { ChatClient, Outcome } from "./chat_client.ts";
import { consoleHint } from "./console_hints.ts";
import { type Emitter, errorDetail } from "./emitter.ts";
import {
  DROPPED,
  type Failure,
  failureOfRefusal,
  needsToken,
  NETWORK,
  NO_SESSION,
} from "./failure.ts";
import { type ChatMessage, clip, messagesOf } from "./history.ts";
import { answerOf } from "./state.ts";
import type { Store } from "./store.ts";

export interface ConversationOptions {
  readonly agentId: string;
  readonly sessionToken: string;
  readonly pageOrigin: string;
  readonly client: ChatClient;
  readonly emitter: Emitter;
  readonly newId: () => string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Where hints for the site's developer go. */
  readonly warn: (text: string) => void;
}

/** What is repeated, byte for byte apart from the token, when a connection broke. */
interface Attempt {
  readonly messages: readonly ChatMessage[];
  readonly conversationId?: string;
  readonly idempotencyKey: string;
}

interface Run {
  readonly abort: AbortController;
  /** The run is cancelled with the token that started it. */
  readonly sessionToken: string;
  runId: string;
  requestId: string;
}

export class Conversation {
  #store: Store;
  #options: ConversationOptions;
  #sessionToken: string;
  #attempt: Attempt | undefined;
  #run: Run | undefined;
  /** A new token repeats a refused question once: a page that mints bad tokens must not loop. */
  #mayResend = false;

  constructor(store: Store, options: ConversationOptions) {
    this.#store = store;
    this.#options = options;
    this.#sessionToken = options.sessionToken;
  }

  /** False when there is nothing to send or an answer is still arriving. */
  send(text: string): boolean {
    const content = clip(text.trim());
    if (!content || this.#store.get().phase !== "idle") return false;
    this.#store.dispatch({ type: "asked", text: content });
    this.#options.emitter.emit("message", { text: content });
    this.#mayResend = true;
    this.#start(this.#newAttempt());
    return true;
  }

  /** Asks the last question again after a failure. */
  retry(): void {
    const { phase, failure } = this.#store.get();
    if (phase !== "idle" || !failure || failure.retry === "never") return;
    this.#store.dispatch({ type: "retried" });
    this.#start(failure.retry === "same" && this.#attempt || this.#newAttempt());
  }

  /** Ends the answer here at once; the service is told so that it stops paying for the rest. */
  stop(): void {
    if (!this.#run || this.#store.get().phase === "idle") return;
    this.#release(this.#run);
    this.#store.dispatch({ type: "stopped" });
  }

  /** Forgets everything said so far. */
  restart(): void {
    if (this.#run) this.#release(this.#run);
    this.#attempt = undefined;
    this.#store.dispatch({ type: "cleared" });
  }

  /** Later requests use this token; a question that the old one could not ask is asked now. */
  setSessionToken(token: string): void {
    this.#sessionToken = token;
    if (!this.#mayResend || !needsToken(this.#store.get().failure)) return;
    this.#mayResend = false;
    this.retry();
  }

  #newAttempt(): Attempt {
    const { turns, conversationId } = this.#store.get();
    return {
      messages: messagesOf(turns),
      ...(conversationId && { conversationId }),
      idempotencyKey: this.#options.newId(),
    };
  }

  #start(attempt: Attempt): void {
    this.#attempt = attempt;
    if (!this.#sessionToken) return this.#fail(NO_SESSION, "");
    const run: Run = {
      abort: new AbortController(),
      sessionToken: this.#sessionToken,
      runId: "",
      requestId: "",
    };
    this.#run = run;
    this.#follow(attempt, run).catch((error) => reportError(error));
  }

  async #follow({ idempotencyKey, ...said }: Attempt, run: Run): Promise<void> {
    const { agentId, client, newId } = this.#options;
    const request = { agentId, sessionToken: run.sessionToken, ...said, requestId: newId() };
    const outcome = await client.stream(request, {
      idempotencyKey,
      signal: run.abort.signal,
      onAccepted: (ids) => Object.assign(run, ids),
      onFrame: (frame) => this.#run === run && this.#take(frame, run),
    });
    if (this.#run !== run) return;
    this.#run = undefined;
    this.#settle(outcome, run);
  }

  #take(frame: Frame, run: Run): void {
    const { emitter } = this.#options;
    this.#store.dispatch({ type: "framed", frame });
    if (frame.type === "start") {
      run.runId = frame.runId;
      emitter.emit("start", { conversationId: frame.conversationId, runId: frame.runId });
    } else if (frame.type === "done") {
      const text = answerOf(this.#store.get().turns);
      emitter.emit("answer", { text, finishReason: frame.finishReason });
    }
  }

  #settle(outcome: Outcome, run: Run): void {
    if (outcome.kind === "refused") {
      this.#fail(failureOfRefusal(outcome.refusal, this.#options.now()), outcome.requestId);
    } else if (outcome.kind === "done") {
      const { failure } = this.#store.get();
      if (failure) this.#report(failure, run.requestId);
    } else this.#fail(outcome.kind === "dropped" ? DROPPED : NETWORK, run.requestId);
  }

  #fail(failure: Failure, requestId: string): void {
    this.#store.dispatch({ type: "failed", failure });
    this.#report(failure, requestId);
  }

  #report(failure: Failure, requestId: string): void {
    const { agentId, pageOrigin, emitter, warn } = this.#options;
    warn(consoleHint(failure, { agentId, pageOrigin, requestId }));
    emitter.emit("error", errorDetail(failure));
    if (needsToken(failure)) emitter.emit("session-expired", { code: failure.code });
  }

  #release(run: Run): void {
    this.#run = undefined;
    run.abort.abort();
    if (run.runId) this.#options.client.cancel(run.runId, run.sessionToken);
  }
}
