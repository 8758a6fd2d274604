import { DescriptionList } from "@/components/DescriptionList.tsx";
import { formatCount, formatMs, formatPercent, formatUsd } from "@/lib/dashboard/format_amount.ts";
import type { TestRun } from "@/lib/schemas/test_run.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";
import { TestRunBadge } from "./TestRunList.tsx";

/** What a run has found so far, in figures. */
export function TestRunSummary({ run }: { run: TestRun }) {
  const { version, cases, passed, failed, errored, notRun, share, threshold } = run;
  const asked = passed + failed + errored;
  return (
    <section aria-labelledby="summary">
      <h2 id="summary">
        {t("Version {version}", { version })}{" "}
        <span role="status">
          <TestRunBadge run={run} />
        </span>
      </h2>
      <DescriptionList
        class="figures card"
        of={{
          [t("Asked")]: t("{done} of {runs}", { done: asked, runs: cases }),
          [t("Passed")]: t("{count} ({share}), {threshold} required", {
            count: formatCount(passed),
            share: formatPercent(100 * share),
            threshold: formatPercent(100 * threshold),
          }),
          [t("Failed")]: formatCount(failed),
          [t("No answer")]: formatCount(errored),
          [t("Not run")]: notRun > 0 && formatCount(notRun),
          [t("Cost")]: t("{cost} of {budget}", {
            cost: formatUsd(run.costUsd),
            budget: formatUsd(run.budgetUsd),
          }),
          [t("Time per answer")]: asked > 0 && formatMs(run.latencyMs / asked),
        }}
      />
    </section>
  );
}
