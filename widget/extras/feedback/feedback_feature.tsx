/** Thumbs below finished answers. */
import type { ExtrasContext } from "../extras_context.ts";
import { AnswerFeedback } from "./answer_feedback.ts";
import { FeedbackButtons } from "./FeedbackButtons.tsx";

export function feedbackFeature({ ui, t, call, changed, answerActions }: ExtrasContext): undefined {
  const feedback = new AnswerFeedback({ call, changed });
  answerActions.push((answer) => {
    const isRatable = answer.run && !answer.partial && ui.read("data-feedback") !== "off";
    return isRatable && <FeedbackButtons {...{ ui, t, feedback, answer }} />;
  });
}
