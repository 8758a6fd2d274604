import type { ComponentChildren } from "preact";
import { CopyButton } from "../../components/CopyButton.tsx";
import type { TranscriptMessage } from "../../state.ts";
import type { MessageUi } from "../../ui.ts";
import { SOURCES } from "./answer_ids.ts";
import { readSources } from "./read_sources.ts";
import { SourceList } from "./SourceList.tsx";

export interface AnswerRowProps {
  readonly ui: MessageUi;
  readonly t: (id: number) => string;
  readonly turn: TranscriptMessage;
  readonly children?: ComponentChildren;
}

export function AnswerRow({ ui, t, turn, children }: AnswerRowProps) {
  const sources = readSources(turn);
  return (
    <div class="after">
      {sources[0] && <SourceList label={t(SOURCES)} sources={sources} />}
      <CopyButton ui={ui} text={turn.text} />
      {children}
    </div>
  );
}
