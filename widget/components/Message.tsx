import type { Ending, Turn } from "../state.ts";
import { STRINGS } from "../strings.ts";

export interface MessageProps {
  readonly turn: Turn;
  /** Words are still arriving. */
  readonly live: boolean;
}

const ENDINGS: Record<Ending, string> = {
  stopped: STRINGS.stopped,
  cut_off: STRINGS.cutOff,
  too_long: STRINGS.tooLong,
  filtered: STRINGS.filtered,
};

/** Text only, never markup: what a model writes is not to be trusted with the page. */
export function Message({ turn, live }: MessageProps) {
  const mine = turn.role === "user";
  return (
    <div class={mine ? "turn is-mine" : "turn"}>
      <span class="hidden">{mine ? STRINGS.you : STRINGS.assistant}:</span>
      <div class="bubble">
        <p dir="auto">
          {turn.text}
          {live && <span class="caret" aria-hidden="true" />}
        </p>
      </div>
      {turn.ending && <p class="ending">{ENDINGS[turn.ending]}</p>}
    </div>
  );
}
