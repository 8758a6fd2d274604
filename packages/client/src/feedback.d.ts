/** Types of feedback.ts, as published. */

export type Rating = "up" | "down";

export interface Feedback {
  readonly rating: Rating;
  /** 1 to 2,000 characters. */
  readonly comment?: string | undefined;
  /** At most 8, of 1 to 64 characters; the dashboard knows incorrect, incomplete, off_topic, tone and other. */
  readonly reasons?: readonly string[] | undefined;
}

export interface FeedbackOptions {
  /** Address of the service. */
  readonly apiBase: string;
  /** As for `chat()`. */
  readonly sessionToken: string | ((rejected: string) => string | Promise<string>);
  /** From the `start` frame of the answer. */
  readonly runId: string;
  readonly fetch?: typeof fetch | undefined;
}

/** Each method throws `ChatError` if the service cannot be reached or rejects it. */
export interface AnswerFeedback {
  /** Rates the answer, once it has ended. Replaces earlier feedback as a whole. */
  set(feedback: Feedback): Promise<void>;
  /** Undefined if the answer is not rated. */
  get(): Promise<(Feedback & { readonly ratedAt: string }) | undefined>;
  withdraw(): Promise<void>;
}

/** What the visitor thinks of one answer. Nothing is sent before you call a method. */
export function feedback(options: FeedbackOptions): AnswerFeedback;
