/** Sends what the visitor thinks of an answer. Does not touch the DOM. */
import type { Rating } from "../../../lib/schemas/rating.ts";
import type { TranscriptMessage } from "../../state.ts";
import type { ServiceCall } from "../service_call.ts";

export interface AnswerFeedbackOptions {
  readonly callService: ServiceCall;
  /** Called after each change, with `true` if it must survive a reload. */
  readonly changed: (save: boolean) => void;
}

export interface AnswerFeedback {
  /** The answer whose comment is asked for. */
  asking?: TranscriptMessage | undefined;
  /** How the last request has ended, until the next one. */
  outcome?: { readonly answer: TranscriptMessage; readonly isDone: boolean } | undefined;
  /** The same rating again withdraws it. False if the service did not take it; then it is undone. */
  readonly rate: (answer: TranscriptMessage, rating: Rating) => Promise<boolean>;
  /** Rates an answer down with a comment. What the visitor wrote stays in its form until it is stored. */
  readonly comment: (answer: TranscriptMessage, comment: string) => Promise<boolean>;
}

export function answerFeedback({ callService, changed }: AnswerFeedbackOptions): AnswerFeedback {
  /** One request after the other, so that the last click counts. */
  let queue = Promise.resolve(true);
  const request = async (answer: TranscriptMessage, body?: Record<string, unknown>) => {
    const method = body ? "PUT" : "DELETE";
    const { ok, status } = await callService(`runs/${answer.run}/feedback`, { method, body });
    // The service knows it no more, or it is another visitor's: it cannot be rated.
    if (status === 404) answer.run = undefined;
    return ok;
  };
  const send = async (answer: TranscriptMessage, body?: Record<string, unknown>) => {
    feedback.outcome = undefined;
    changed(true);
    const isDone = await (queue = queue.then(() => request(answer, body)).catch(() => false));
    feedback.outcome = { answer, isDone };
    changed(true);
    return isDone;
  };
  /** Not if the visitor has asked for something else since. */
  const stopAsking = (answer: TranscriptMessage) => {
    if (feedback.asking === answer) feedback.asking = undefined;
    changed(true);
  };
  const feedback: AnswerFeedback = {
    async rate(answer, rating) {
      const before = answer.rating;
      const next = answer.rating = before === rating ? undefined : rating;
      feedback.asking = next === "down" ? answer : undefined;
      const isDone = await send(answer, next && { rating: next });
      // A later click is not undone.
      if (!isDone && answer.rating === next) {
        answer.rating = before;
        stopAsking(answer);
      }
      return isDone;
    },
    async comment(answer, comment) {
      const isDone = await send(answer, { rating: "down", comment });
      if (isDone) stopAsking(answer);
      return isDone;
    },
  };
  return feedback;
}
