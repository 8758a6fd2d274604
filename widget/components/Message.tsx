import { ASSISTANT, PARTIAL } from "../say.ts";
import type { Ui } from "../mount.tsx";
import type { Turn } from "../turn.ts";
import { CopyButton } from "./CopyButton.tsx";
import { rich } from "./rich.tsx";

export interface MessageProps {
  readonly ui: Ui;
  readonly turn: Turn;
  /** Words are still arriving. */
  readonly live: boolean;
}

/** What the visitor wrote is text; what the model wrote is Markdown, drawn node by node. */
export function Message({ ui, turn, live }: MessageProps) {
  const { t } = ui.locale;
  const mine = turn.role === "user";
  return (
    <div class={mine ? "turn mine" : "turn"} part={mine ? "question" : "answer"}>
      {!mine && <span class="hidden">{t(ASSISTANT)}:</span>}
      <div class={live && !mine ? "bubble live" : "bubble"} dir="auto">
        {mine ? turn.text : rich(turn, { ui, live })}
      </div>
      {!mine && !live && (
        <p class="after">
          {turn.partial && <span>{t(PARTIAL)}</span>}
          <CopyButton ui={ui} text={turn.text} />
        </p>
      )}
    </div>
  );
}
