import { BELOW } from "../extras/slot.ts";
import { ASSISTANT, INCOMPLETE } from "../string_ids.ts";
import type { MessageUi } from "../ui.ts";
import type { TranscriptMessage } from "../state.ts";
import { Mark } from "./Mark.tsx";
import { renderMarkdown } from "./render_markdown.tsx";

export interface MessageProps {
  readonly ui: MessageUi;
  readonly turn: TranscriptMessage;
  /** The text is still arriving. */
  readonly live: boolean;
}

/** The visitor's message is plain text; the model's answer is Markdown, rendered node by node. */
export function Message({ ui, turn, live }: MessageProps) {
  const { t } = ui.locale;
  const mine = turn.role === "user";
  const writing = live && !mine;
  return (
    <div class={mine ? "turn mine" : "turn"} part={mine ? "question" : "answer"}>
      {turn.role === "assistant" && ui.config.avatar && <Mark ui={ui} />}
      {!mine && (
        <span class={turn.person ? "person" : "hidden"}>{turn.person ?? `${t(ASSISTANT)}:`}</span>
      )}
      <div class={writing ? "bubble live" : "bubble"} dir="auto">
        {mine ? turn.text : renderMarkdown(turn, { ui, live })}
      </div>
      {turn.partial && !writing && <p class="after">{t(INCOMPLETE)}</p>}
      {!writing && ui.slot?.(BELOW, turn)}
    </div>
  );
}
