import { PERIODS, usageHref, type UsageQuery } from "@/lib/dashboard/usage/usage_query.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** Chooses the days of the page: the last ones, or any by their dates. */
export function PeriodPicker({ query }: { query: UsageQuery }) {
  const { range, period, by, metric } = query;
  return (
    <div class="period">
      <nav class="views" aria-label={t("Period")}>
        {PERIODS.map((days) => (
          <a
            key={days}
            href={usageHref("/usage", { ...query, period: days })}
            aria-current={days === period ? "page" : "false"}
          >
            {t("{days} days", { days })}
          </a>
        ))}
      </nav>
      <form
        method="get"
        action="/usage"
        class="filters"
        autocomplete="off"
        aria-label={t("Custom period")}
      >
        <input type="hidden" name="by" value={by} />
        <input type="hidden" name="metric" value={metric} />
        <div class="field">
          <label for="usage-from">{t("From")}</label>
          <input type="date" id="usage-from" name="from" value={range.from} />
        </div>
        <div class="field">
          <label for="usage-to">{t("To")}</label>
          <input type="date" id="usage-to" name="to" value={range.to} />
        </div>
        <div class="filter-actions">
          <button class="button" type="submit">{t("Apply")}</button>
        </div>
      </form>
    </div>
  );
}
