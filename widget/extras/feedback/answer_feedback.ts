/** Sends what the visitor thinks of an answer. Does not touch the DOM. */
import type { Rating } from "../../../lib/schemas/rating.ts";
import type { TranscriptMessage } from "../../state.ts";
import type { ServiceCall } from "../service_call.ts";

export interface AnswerFeedbackOptions {
  readonly call: ServiceCall;
  /** Called after each change, with `true` if it must survive a reload. */
  readonly changed: (save: boolean) => void;
}

export class AnswerFeedback {
  /** The answer whose comment is asked for. */
  asking: TranscriptMessage | undefined;
  /** How the last request has ended, until the next one. */
  outcome: { readonly answer: TranscriptMessage; readonly isDone: boolean } | undefined;
  #options: AnswerFeedbackOptions;
  /** One request after the other, so that the last click counts. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: AnswerFeedbackOptions) {
    this.#options = options;
  }

  /** The same rating again withdraws it. False if the service did not take it; then it is undone. */
  async rate(answer: TranscriptMessage, rating: Rating): Promise<boolean> {
    const before = answer.rating;
    const next = answer.rating = before === rating ? undefined : rating;
    this.asking = next === "down" ? answer : undefined;
    const isDone = await this.#send(answer, next && { rating: next });
    // A later click is not undone.
    if (!isDone && answer.rating === next) {
      answer.rating = before;
      if (this.asking === answer) this.asking = undefined;
      this.#options.changed(true);
    }
    return isDone;
  }

  /** Rates an answer down with a comment. What the visitor wrote stays in its form until it is stored. */
  async comment(answer: TranscriptMessage, comment: string): Promise<boolean> {
    const isDone = await this.#send(answer, { rating: "down", comment });
    // The visitor may have changed the rating since.
    if (isDone && this.asking === answer) {
      this.asking = undefined;
      this.#options.changed(true);
    }
    return isDone;
  }

  async #send(
    answer: TranscriptMessage,
    body?: { rating: Rating; comment?: string },
  ): Promise<boolean> {
    this.outcome = undefined;
    this.#options.changed(true);
    const sent = this.#queue.then(() => this.#request(answer, body)).catch(() => false);
    this.#queue = sent;
    const isDone = await sent;
    this.outcome = { answer, isDone };
    this.#options.changed(true);
    return isDone;
  }

  async #request(answer: TranscriptMessage, body?: Record<string, unknown>): Promise<boolean> {
    const method = body ? "PUT" : "DELETE";
    const { ok, status } = await this.#options.call(`runs/${answer.run}/feedback`, {
      method,
      body,
    });
    // The service knows it no more, or it is another visitor's: it cannot be rated.
    if (status === 404) answer.run = undefined;
    return ok;
  }
}
