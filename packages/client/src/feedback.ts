/** What a visitor thinks of an answer. */
import type { Feedback as GivenFeedback } from "../../../lib/schemas/feedback.ts";
import { type SessionOptions, sessionRequest, succeeded } from "./session_request.ts";

/** Documented in feedback.d.ts. */
export interface FeedbackOptions extends SessionOptions {
  readonly runId: string;
}

export type Feedback = Pick<GivenFeedback, "rating" | "comment"> & {
  readonly reasons?: readonly NonNullable<GivenFeedback["reasons"]>[number][] | undefined;
};

export interface AnswerFeedback {
  set(feedback: Feedback): Promise<void>;
  get(): Promise<GivenFeedback | undefined>;
  withdraw(): Promise<void>;
}

export function feedback({ runId, ...options }: FeedbackOptions): AnswerFeedback {
  const request = sessionRequest(options);
  const send = (method: string, body?: Feedback) =>
    request(`runs/${encodeURIComponent(runId)}/feedback`, { method, body });
  return {
    set: async (feedback) => void await succeeded(await send("PUT", feedback)),
    withdraw: async () => void await succeeded(await send("DELETE")),
    async get() {
      const response = await send("GET");
      // Also the answer for a run that is unknown: there is no feedback on it.
      if (response.status !== 404) return await (await succeeded(response)).json();
      await response.body?.cancel();
      return undefined;
    },
  };
}
