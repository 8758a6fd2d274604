import { ASSISTANT, INCOMPLETE, SOURCES } from "../string_ids.ts";
import { safeUrl } from "../markdown_inline.ts";
import type { Ui } from "../mount.tsx";
import type { TranscriptMessage } from "../state.ts";
import { CopyButton } from "./CopyButton.tsx";
import { Link, renderMarkdown } from "./render_markdown.tsx";

export interface MessageProps {
  readonly ui: Ui;
  readonly turn: TranscriptMessage;
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
    </div>
  );
}

/** A document's title; one that is an address on the web leads there. */
function source(title: string) {
  const href = safeUrl(title)!;
  return (
    <bdi>
      {/^http/.test(href) ? <Link href={href} label={title}>{title}</Link> : title}
    </bdi>
  );
}
