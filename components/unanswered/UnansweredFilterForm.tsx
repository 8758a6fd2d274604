import { FilterChoice } from "@/components/FilterChoice.tsx";
import { FilterDay } from "@/components/FilterDay.tsx";
import { REASON_LABELS, STATE_LABELS } from "@/lib/dashboard/unanswered/unanswered_labels.ts";
import type { UnansweredFilters } from "@/lib/dashboard/unanswered/unanswered_filters.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

type Options = readonly (readonly [value: string, label: string])[];

/** Which groups of questions are listed, as a form that works without scripts. */
export function UnansweredFilterForm({ filters, agents }: {
  filters: UnansweredFilters;
  agents: readonly { id: string; name: string }[];
}) {
  const named = (labels: Readonly<Record<string, string>>): Options =>
    Object.entries(labels).map(([name, label]) => [name, t(label)]);
  return (
    <form
      method="get"
      action="/unanswered"
      class="filters"
      autocomplete="off"
      aria-label={t("Filters")}
    >
      <FilterChoice
        name="agentId"
        label={t("Agent")}
        value={filters.agentId}
        any={t("Any agent")}
        options={agents.map(({ id, name }) => [id, name] as const)}
      />
      <FilterChoice
        name="reason"
        label={t("Reason")}
        value={filters.reason}
        any={t("Any")}
        options={named(REASON_LABELS)}
      />
      <FilterChoice
        name="state"
        label={t("State")}
        value={filters.state}
        any={t("To do")}
        options={[...named(STATE_LABELS), ["all", t("All")]]}
      />
      <FilterDay name="from" label={t("From (UTC)")} value={filters.from} />
      <FilterDay name="to" label={t("To (UTC)")} value={filters.to} />
      <div class="filter-actions">
        <button class="button" type="submit">{t("Apply")}</button>
      </div>
    </form>
  );
}
