import type { UsageSummary } from "@/lib/billing/usage_report.ts";
import type { StorageFigures } from "@/lib/billing/storage_report.ts";
import { formatCount, formatMicroUsd } from "@/lib/dashboard/format_amount.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";
import type { Sorting } from "@/lib/dashboard/sort_rows.ts";
import type { Member } from "@/lib/services/team_service.ts";
import { DescriptionList } from "../DescriptionList.tsx";
import { MemberTable } from "../MemberTable.tsx";
import { Pagination } from "../Pagination.tsx";
import { StorageMeters } from "../StorageMeters.tsx";

export interface TenantOverviewProps {
  /** One page of them. */
  members: { items: readonly Member[]; previous?: string; next?: string };
  sorting: Sorting;
  /** Id of the reader. */
  me: string;
  /** Of the last 30 days. */
  usage: UsageSummary;
  storage: StorageFigures;
  now: number;
  url: URL;
}

/** What an operator sees of a tenant: who its users are, what it uses and stores. */
export function TenantOverview(
  { members: { items, ...links }, sorting, me, usage, storage, now, url }: TenantOverviewProps,
) {
  const { today, hardLimit, activeStreams, maxStreams, range } = usage;
  const month = sumOf([...range.day.values()]);
  return (
    <>
      <section aria-labelledby="users">
        <h2 id="users" class="section-head">{t("Users")}</h2>
        {items.length === 0
          ? <p class="help">{t("No user has joined yet.")}</p>
          : <MemberTable {...{ members: items, me, owner: false, now, url, sorting }} />}
        <Pagination {...links} />
      </section>
      <section aria-labelledby="usage">
        <h2 id="usage" class="section-head">{t("Usage")}</h2>
        <DescriptionList
          class="card values"
          of={{
            [t("Cost today")]: t("{used} of {limit}", {
              used: formatMicroUsd(today.cost),
              limit: formatMicroUsd(hardLimit),
            }),
            [t("Answers today")]: formatCount(today.runs),
            [t("Cost in 30 days")]: formatMicroUsd(month.cost),
            [t("Answers in 30 days")]: formatCount(month.runs),
            [t("Streams now")]: t("{used} of {limit}", {
              used: formatCount(activeStreams),
              limit: formatCount(maxStreams),
            }),
          }}
        />
      </section>
      <section aria-labelledby="storage-use">
        <h2 id="storage-use" class="section-head">{t("Used now")}</h2>
        <StorageMeters figures={storage} />
      </section>
    </>
  );
}

function sumOf(days: readonly { cost: number; runs: number }[]): { cost: number; runs: number } {
  return days.reduce(
    (sum, { cost, runs }) => ({ cost: sum.cost + cost, runs: sum.runs + runs }),
    { cost: 0, runs: 0 },
  );
}
