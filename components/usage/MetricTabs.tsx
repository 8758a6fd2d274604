import { METRICS, USAGE_METRICS } from "@/lib/dashboard/usage/usage_metrics.ts";
import { usageHref, type UsageQuery } from "@/lib/dashboard/usage/usage_query.ts";
import type { Usage } from "@/lib/store/runs/usage_rows.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** The sums of the period; the chosen one is in the chart. */
export function MetricTabs({ query, sum }: { query: UsageQuery; sum: Usage }) {
  return (
    <nav class="metrics" aria-label={t("Chart shows")}>
      {USAGE_METRICS.map((name) => {
        const { label, exact, value } = METRICS[name];
        return (
          <a
            key={name}
            href={usageHref("/usage", { ...query, metric: name })}
            aria-current={name === query.metric ? "page" : "false"}
          >
            <span>{t(label)}</span>
            <strong>{exact(value(sum))}</strong>
          </a>
        );
      })}
    </nav>
  );
}
