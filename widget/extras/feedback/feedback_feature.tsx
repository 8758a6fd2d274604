/** Thumbs below finished answers. */
import { BELOW, type Slot } from "../slot.ts";
import type { ExtrasContext } from "../extras_context.ts";
import type { TranscriptMessage } from "../../state.ts";
import { AnswerFeedback } from "./answer_feedback.ts";
import { FeedbackButtons } from "./FeedbackButtons.tsx";

export function feedbackFeature({ ui, t, call, changed }: ExtrasContext): Slot {
  const feedback = new AnswerFeedback({ call, changed });
  return (place, value) => {
    if (place !== BELOW || ui.read("data-feedback") === "off") return;
    const answer = value as TranscriptMessage;
    const isRatable = answer.role === "assistant" && answer.run && !answer.partial;
    return isRatable && <FeedbackButtons {...{ ui, t, feedback, answer }} />;
  };
}
