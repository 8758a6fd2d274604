import { GROUPS, usageHref, type UsageQuery } from "@/lib/dashboard/usage/usage_query.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** How the bars of the chart are divided. */
export function GroupTabs({ query }: { query: UsageQuery }) {
  return (
    <nav class="views" aria-label={t("Group by")}>
      {GROUPS.map(({ by, label }) => (
        <a
          key={by}
          href={usageHref("/usage", { ...query, by })}
          aria-current={by === query.by ? "page" : "false"}
        >
          {t(label)}
        </a>
      ))}
    </nav>
  );
}
