import { CopyButton } from "../../components/CopyButton.tsx";
import type { TranscriptMessage } from "../../state.ts";
import type { MessageUi } from "../../ui.ts";
import { SOURCES } from "./answer_ids.ts";

export interface AnswerRowProps {
  readonly ui: MessageUi;
  readonly t: (id: number) => string;
  readonly turn: TranscriptMessage;
}

export function AnswerRow({ ui, t, turn }: AnswerRowProps) {
  return (
    <p class="after">
      <CopyButton ui={ui} text={turn.text} />
      {turn.sources?.[0] && (
        <span part="sources">
          {t(SOURCES)}
          {turn.sources.map((title) => [" · ", <Source key={title} title={title} />])}
        </span>
      )}
    </p>
  );
}

/** A document's title, as a link if it is a web address. */
function Source({ title }: { readonly title: string }) {
  return (
    <bdi>
      {/^https?:/.test(title)
        ? <a href={title} target="_blank" rel="noopener noreferrer nofollow">{title}</a>
        : title}
    </bdi>
  );
}
