/** Thumbs below finished answers. */
import type { ExtrasContext } from "../extras_context.ts";
import { answerFeedback } from "./answer_feedback.ts";
import { FeedbackButtons } from "./FeedbackButtons.tsx";

export function feedbackFeature(
  { ui, t, callService, changed, answerActions }: ExtrasContext,
): undefined {
  const feedback = answerFeedback({ callService, changed });
  answerActions.push((answer) => {
    const isRatable = answer.run && !answer.partial && ui.read("data-feedback") !== "off";
    return isRatable && <FeedbackButtons {...{ ui, t, feedback, answer }} />;
  });
}
