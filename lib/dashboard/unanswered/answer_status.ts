import type { Document } from "../../schemas/knowledge.ts";
import type { UnansweredReport } from "../../schemas/unanswered.ts";

/** How far the answer to a group of questions is; `outdated` if visitors asked again after it. */
export type AnswerStatus =
  | "dismissed"
  | "missing"
  | "processing"
  | "failed"
  | "asking"
  | "helpful"
  | "outdated"
  | "untried"
  | "unhelpful";

/** Those in which a person writes an answer. */
export const NEEDS_ANSWER: ReadonlySet<AnswerStatus> = new Set([
  ...["dismissed", "missing", "failed", "outdated", "unhelpful"] as const,
]);

/** `document` is absent if no answer was written, or if it was deleted. */
export function answerStatus(
  { asking, state, questions }: Pick<UnansweredReport, "asking" | "state" | "questions">,
  document: Pick<Document, "state" | "updatedAt"> | undefined,
): AnswerStatus {
  if (state === "dismissed") return "dismissed";
  if (document === undefined) return "missing";
  if (document.state !== "ready") return document.state;
  if (asking) return "asking";
  if (state === "answered") return "helpful";
  if (state === "open") return "outdated";
  // Earlier tries were about an earlier document, or about its earlier text.
  const isTried = questions.some(({ again }) => again && again.at >= document.updatedAt);
  return isTried ? "unhelpful" : "untried";
}
