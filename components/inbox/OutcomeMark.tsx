import { OUTCOME_LABELS, outcomeTone } from "@/lib/dashboard/inbox/outcome_labels.ts";
import type { Outcome } from "@/lib/services/conversation_inbox.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** A coloured dot with the outcome in words; the dot of a live conversation pulses. */
export function OutcomeMark({ outcome }: { outcome: Outcome }) {
  return <span class={`outcome outcome-${outcomeTone(outcome)}`}>{t(OUTCOME_LABELS[outcome])}
  </span>;
}
