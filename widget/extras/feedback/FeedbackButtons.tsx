import type { Rating } from "../../../lib/schemas/rating.ts";
import type { TranscriptMessage } from "../../state.ts";
import { GENERIC_ERROR } from "../../string_ids.ts";
import type { Ui } from "../../ui.ts";
import { Action, Form, textIn } from "../Form.tsx";
import { IconButton } from "../IconButton.tsx";
import type { AnswerFeedback } from "./answer_feedback.ts";
import {
  BAD_ANSWER,
  GOOD_ANSWER,
  SEND_FEEDBACK,
  THANK_YOU,
  WHAT_WAS_WRONG,
} from "./feedback_ids.ts";

export interface FeedbackButtonsProps {
  readonly ui: Pick<Ui, "conversation" | "locale">;
  readonly t: (id: number) => string;
  readonly feedback: AnswerFeedback;
  readonly answer: TranscriptMessage;
}

const THUMB =
  "M7 11v9H4v-9zl4-7.5c1.5 0 2.3 1.2 2 2.6l-.7 3.9H18a2 2 0 0 1 2 2.4l-1.2 6A2 2 0 0 1 16.8 20H7";
const MAX_COMMENT_LENGTH = 2000;

/** Thumbs below a finished answer, and after a thumb down a form for an optional comment. */
export function FeedbackButtons({ ui, t, feedback, answer }: FeedbackButtonsProps) {
  /** Nothing after a withdrawal, which the button's state says. */
  const outcome = (isDone: boolean) =>
    isDone ? answer.rating && t(THANK_YOU) : ui.locale.t(GENERIC_ERROR);
  const announce = async (sent: Promise<boolean>) => {
    const text = outcome(await sent);
    if (text) ui.conversation.announceText(text);
    if (feedback.asking === answer) ui.conversation.announceText(t(WHAT_WAS_WRONG));
  };
  const thumb = (rating: Rating, label: string) => (
    <IconButton
      label={label}
      icon={THUMB}
      look={`thumb ${rating}`}
      isPressed={answer.rating === rating}
      onPress={() => announce(feedback.rate(answer, rating))}
    />
  );
  const save = (form: HTMLFormElement) => {
    const comment = textIn(form);
    // The form disappears, so move the focus to the pressed thumb instead of losing it to the page.
    form.parentElement!.querySelector<HTMLElement>(".down")!.focus();
    if (comment) announce(feedback.comment(answer, comment));
  };
  return (
    <div class="feedback" part="feedback">
      {thumb("up", t(GOOD_ANSWER))}
      {thumb("down", t(BAD_ANSWER))}
      {feedback.outcome?.answer === answer && <span>{outcome(feedback.outcome.isDone)}</span>}
      {feedback.asking === answer && (
        <Form onSave={save}>
          <textarea
            rows={2}
            maxLength={MAX_COMMENT_LENGTH}
            aria-label={t(WHAT_WAS_WRONG)}
            placeholder={t(WHAT_WAS_WRONG)}
            dir="auto"
          />
          <Action label={t(SEND_FEEDBACK)} />
        </Form>
      )}
    </div>
  );
}
