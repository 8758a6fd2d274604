import { ASSISTANT, INCOMPLETE, SOURCES } from "../string_ids.ts";
import { safeUrl } from "../markdown_inline.ts";
import type { MessageUi } from "../ui.ts";
import type { TranscriptMessage } from "../state.ts";
import { CopyButton } from "./CopyButton.tsx";
import { Mark } from "./Mark.tsx";
import { Link, renderMarkdown } from "./render_markdown.tsx";

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
  return (
    <div class={mine ? "turn mine" : "turn"} part={mine ? "question" : "answer"}>
      {!mine && ui.config.avatar && <Mark ui={ui} />}
      {!mine && <span class="hidden">{t(ASSISTANT)}:</span>}
      <div class={live && !mine ? "bubble live" : "bubble"} dir="auto">
        {mine ? turn.text : renderMarkdown(turn, { ui, live })}
      </div>
      {!mine && !live && (
        <p class="after">
          {turn.partial && <span>{t(INCOMPLETE)}</span>}
          <CopyButton ui={ui} text={turn.text} />
          {turn.sources?.[0] && (
            <span part="sources">
              {t(SOURCES)}
              {turn.sources.map((title) => [" · ", source(title)])}
            </span>
          )}
        </p>
      )}
      {!live && turn.run && !turn.partial && ui.config.feedback === "on" && ui.below?.(turn)}
    </div>
  );
}

/** A document's title, as a link if it is a web address. */
function source(title: string) {
  const href = safeUrl(title)!;
  return (
    <bdi>
      {/^http/.test(href) ? <Link href={href} label={title}>{title}</Link> : title}
    </bdi>
  );
}
