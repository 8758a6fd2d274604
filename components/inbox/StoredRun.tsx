import type { ComponentChildren } from "preact";
import {
  questionOf,
  type Replacement,
  REPLACEMENT_LABELS,
  replacementOf,
  supersededLabel,
} from "@/lib/dashboard/inbox/replacements.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";
import type { ConversationRun } from "@/lib/schemas/conversation.ts";
import type { RunRecord } from "@/lib/store/runs/run_record.ts";
import { RunCard } from "../RunCard.tsx";

/** One run of a transcript; collapsed in its place if it is not on the current path. */
export function StoredRun(
  { run, runs, record, action }: {
    run: ConversationRun;
    /** The runs on the page. */
    runs: readonly ConversationRun[];
    record: RunRecord | undefined;
    /** What can be done with it, below it. */
    action?: ComponentChildren;
  },
) {
  const question = questionOf(run);
  const mark = <ReplacementMark replacement={replacementOf(question, runs)} />;
  const card = <RunCard run={run} record={record} mark={mark} action={action} />;
  if (!run.superseded) return card;
  return (
    <details class="more superseded">
      <summary>
        {t(supersededLabel(run, runs))}
        {question.text !== "" && <span class="superseded-question" dir="auto">{question.text}
        </span>}
      </summary>
      {card}
    </details>
  );
}

/** Says that a run replaces another, and how. */
export function ReplacementMark({ replacement }: { replacement: Replacement | undefined }) {
  if (replacement === undefined) return null;
  return <span class="badge">{t(REPLACEMENT_LABELS[replacement])}</span>;
}
