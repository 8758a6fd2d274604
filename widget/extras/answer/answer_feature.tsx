/** What stands below an answer: copy, and where it was found. */
import type { TranscriptMessage } from "../../state.ts";
import type { ExtrasContext } from "../extras_context.ts";
import { BELOW, FOOTNOTE, type Slot } from "../slot.ts";
import { AnswerRow } from "./AnswerRow.tsx";
import { MESSAGES_LEFT } from "./answer_ids.ts";

/** The number of messages left is shown from here on. */
const LOW_MESSAGES_LEFT = 5;

export function answerFeature({ ui, t }: ExtrasContext): Slot {
  return (place, value) => {
    const turn = value as TranscriptMessage;
    if (place === BELOW && turn.role === "assistant") return <AnswerRow {...{ ui, t, turn }} />;
    const { left } = ui.session;
    return place === FOOTNOTE && left <= LOW_MESSAGES_LEFT && (
      <p class="footnote">{t(MESSAGES_LEFT)}: {Math.max(0, left)}</p>
    );
  };
}
