import { DescriptionList } from "@/components/DescriptionList.tsx";
import { formatCount, formatMs, formatUsd } from "@/lib/dashboard/format_amount.ts";
import {
  REHEARSAL_STATE_LABELS,
  REHEARSED_RUN_LABELS,
} from "@/lib/dashboard/rehearsals/rehearsal_labels.ts";
import type { Rehearsal } from "@/lib/schemas/rehearsal.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** What a rehearsal has found so far, in figures. */
export function RehearsalSummary({ rehearsal }: { rehearsal: Rehearsal }) {
  const { state, version, runs, done, only, before, after, budgetUsd } = rehearsal;
  const each = (ms: number) => done === 0 ? undefined : formatMs(ms / done);
  return (
    <section aria-labelledby="summary">
      <h2 id="summary">
        {t("Version {version}", { version })}{" "}
        <span class={state === "running" ? "badge badge-active" : "badge"} role="status">
          {t(REHEARSAL_STATE_LABELS[state])}
        </span>
      </h2>
      <DescriptionList
        class="figures card"
        of={{
          [t("Replayed")]: t("{done} of {runs}", { done, runs }),
          [t("Which answers")]: t(REHEARSED_RUN_LABELS[only]),
          [t("With other words")]: formatCount(rehearsal.changed),
          [t("From other sources")]: formatCount(rehearsal.changedSources),
          [t("Calls not in the recording")]: formatCount(rehearsal.differingCalls),
          [t("Failed")]: formatCount(rehearsal.failed),
          [t("Cost, recorded")]: formatUsd(before.costUsd),
          [t("Cost, rehearsed")]: t("{cost} of {budget}", {
            cost: formatUsd(after.costUsd),
            budget: formatUsd(budgetUsd),
          }),
          [t("Time an answer, recorded")]: each(before.latencyMs),
          [t("Time an answer, rehearsed")]: each(after.latencyMs),
        }}
      />
    </section>
  );
}
