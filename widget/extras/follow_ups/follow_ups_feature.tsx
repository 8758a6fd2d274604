/** Questions to ask next, below the last answer. */
import { FOLLOW_UPS } from "../answer/answer_ids.ts";
import type { ExtrasContext } from "../extras_context.ts";
import { END, type Slot } from "../slot.ts";
import { readFollowUps } from "./read_follow_ups.ts";

export function followUpsFeature({ ui, t }: ExtrasContext): Slot {
  const { conversation, handle, input } = ui;
  const ask = (text: string) => {
    handle.send(text);
    input.current?.focus();
  };
  return (place) => {
    const { turns, busy, failure } = conversation.state;
    const [question, answer] = turns.slice(-2);
    if (place !== END || busy || failure || answer?.role !== "assistant") return;
    const texts = readFollowUps(answer.followUps ?? question!.followUps);
    return texts[0] && !answer.partial && (
      <div class="follow-ups" part="follow-ups" role="group" aria-label={t(FOLLOW_UPS)}>
        {texts.map((text) => (
          <button
            type="button"
            class="suggestion"
            dir="auto"
            key={text}
            onClick={() => ask(text)}
          >
            {text}
          </button>
        ))}
      </div>
    );
  };
}
