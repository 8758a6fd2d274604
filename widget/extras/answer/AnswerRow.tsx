import type { ComponentChildren } from "preact";
import type { TranscriptMessage } from "../../state.ts";
import { SOURCES } from "./answer_ids.ts";
import { readSources } from "./read_sources.ts";
import { SourceList } from "./SourceList.tsx";

export interface AnswerRowProps {
  readonly t: (id: number) => string;
  readonly turn: TranscriptMessage;
  /** The actions. */
  readonly children: ComponentChildren;
}

export function AnswerRow({ t, turn, children }: AnswerRowProps) {
  const sources = readSources(turn);
  return (
    <div class="after">
      {sources[0] && <SourceList label={t(SOURCES)} sources={sources} />}
      {children}
    </div>
  );
}
