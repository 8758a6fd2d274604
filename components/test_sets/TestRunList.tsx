import { Time } from "@/components/Time.tsx";
import { formatPercent, formatUsd } from "@/lib/dashboard/format_amount.ts";
import { TEST_RUN_STATE_LABELS } from "@/lib/dashboard/test_sets/test_set_labels.ts";
import type { TestRun } from "@/lib/schemas/test_run.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** Earlier runs, newest first. */
export function TestRunList(
  { runs, path, now }: { runs: readonly TestRun[]; path: string; now: number },
) {
  return (
    <ul class="rows" aria-label={t("Runs")}>
      {runs.map((run) => (
        <li key={run.id} class="row">
          <div class="row-main">
            <p class="row-name">
              <a class="row-link" href={`${path}/runs/${run.id}`}>
                {t("Version {version}", { version: run.version })}
              </a>
              <TestRunBadge run={run} />
            </p>
            <p class="row-text">
              {t("{passed} of {cases} passed ({share})", {
                ...{ passed: run.passed, cases: run.cases, share: formatPercent(100 * run.share) },
              })}
            </p>
          </div>
          <dl class="facts">
            <div>
              <dt>{t("Cost")}</dt>
              <dd>{formatUsd(run.costUsd)}</dd>
            </div>
            <div>
              <dt>{t("Started")}</dt>
              <dd>
                <Time at={run.createdAt} now={now} />
              </dd>
            </div>
          </dl>
        </li>
      ))}
    </ul>
  );
}

/** Whether it passed, or why that is not known. */
export function TestRunBadge({ run }: { run: TestRun }) {
  if (run.state !== "done") {
    return (
      <span class={run.state === "running" ? "badge badge-active" : "badge"}>
        {t(TEST_RUN_STATE_LABELS[run.state])}
      </span>
    );
  }
  return run.isPassed
    ? <span class="badge badge-active">{t("Passed")}</span>
    : <span class="outcome outcome-bad">{t("Failed")}</span>;
}
