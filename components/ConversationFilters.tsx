import { FilterChoice } from "./FilterChoice.tsx";
import { FilterDay } from "./FilterDay.tsx";
import {
  type ConversationFilters as Filters,
  MAX_QUERY_LENGTH,
} from "@/lib/dashboard/conversation_filters.ts";
import { OUTCOME_LABELS } from "@/lib/dashboard/inbox/outcome_labels.ts";
import { RATING_FILTER_LABELS } from "@/lib/dashboard/inbox/rating_labels.ts";
import { SOURCE_LABELS } from "../lib/dashboard/source_labels.ts";
import { formatMicroUsd } from "../lib/dashboard/format_amount.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

export interface ConversationFiltersProps {
  filters: Filters;
  /** The options, including the selected one. */
  agents: readonly { id: string; name: string }[];
  /** Micro-USD. */
  costs: readonly number[];
}

const FINISHES = Object.entries(OUTCOME_LABELS).filter(([finish]) => finish !== "live");

/** Filters of the conversations list, as a form that works without scripts. */
export function ConversationFilters({ filters, agents, costs }: ConversationFiltersProps) {
  return (
    <form
      method="get"
      action="/conversations"
      class="filters"
      autocomplete="off"
      aria-label={t("Filters")}
    >
      <div class="field filter-words">
        <label for="filter-q">{t("Messages contain")}</label>
        <input
          type="search"
          id="filter-q"
          name="q"
          value={filters.q}
          maxLength={MAX_QUERY_LENGTH}
          placeholder={t("Words, or an ID")}
          autocomplete="off"
          spellcheck={false}
        />
      </div>
      <FilterChoice
        name="agentId"
        label={t("Agent")}
        value={filters.agentId}
        any={t("Any agent")}
        options={agents.map(({ id, name }) => [id, name])}
      />
      <FilterChoice
        name="finish"
        label={t("Outcome")}
        value={filters.finish}
        any={t("Any")}
        options={[
          ["failed", t("Failed or interrupted")],
          ...FINISHES.map(([name, label]) => [name, t(label)] as const),
        ]}
      />
      <FilterChoice
        name="source"
        label={t("Source")}
        value={filters.source}
        any={t("Any source")}
        options={Object.entries(SOURCE_LABELS).map(([name, label]) => [name, t(label)] as const)}
      />
      <FilterChoice
        name="rating"
        label={t("Rating")}
        value={filters.rating}
        any={t("Any rating")}
        options={Object.entries(RATING_FILTER_LABELS)
          .map(([name, label]) => [name, t(label)] as const)}
      />
      <details class="more-filters" open={filters.from + filters.to + filters.cost !== ""}>
        <summary>{t("More filters")}</summary>
        <div class="more-filters-fields">
          <FilterDay name="from" label={t("From (UTC)")} value={filters.from} />
          <FilterDay name="to" label={t("To (UTC)")} value={filters.to} />
          <FilterChoice
            name="cost"
            label={t("Cost")}
            value={filters.cost}
            any={t("Any cost")}
            options={costs.map((
              cost,
            ) => [String(cost), t("{cost} or more", { cost: formatMicroUsd(cost) })])}
          />
        </div>
      </details>
      <div class="filter-actions">
        <button class="button" type="submit">{t("Apply")}</button>
      </div>
    </form>
  );
}
