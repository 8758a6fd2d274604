import { Time } from "@/components/Time.tsx";
import { formatUsd } from "@/lib/dashboard/format_amount.ts";
import { REHEARSAL_STATE_LABELS } from "@/lib/dashboard/rehearsals/rehearsal_labels.ts";
import type { Rehearsal } from "@/lib/schemas/rehearsal.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** Earlier rehearsals, newest first. */
export function RehearsalList(
  { rehearsals, path, now }: { rehearsals: readonly Rehearsal[]; path: string; now: number },
) {
  return (
    <ul class="rows" aria-label={t("Rehearsals")}>
      {rehearsals.map((one) => (
        <li key={one.id} class="row">
          <div class="row-main">
            <p class="row-name">
              <a class="row-link" href={`${path}/${one.id}`}>
                {t("Version {version}", { version: one.version })}
              </a>
              <span class={one.state === "running" ? "badge badge-active" : "badge"}>
                {t(REHEARSAL_STATE_LABELS[one.state])}
              </span>
            </p>
            <p class="row-text">
              {t("{done} of {runs} answers, {changed} with other words", {
                done: one.done,
                runs: one.runs,
                changed: one.changed,
              })}
            </p>
          </div>
          <dl class="facts">
            <div>
              <dt>{t("Cost")}</dt>
              <dd>{formatUsd(one.after.costUsd)}</dd>
            </div>
            <div>
              <dt>{t("Started")}</dt>
              <dd>
                <Time at={one.createdAt} now={now} />
              </dd>
            </div>
          </dl>
        </li>
      ))}
    </ul>
  );
}
