import {
  type ConversationFilters as Filters,
  MAX_QUERY_LENGTH,
} from "@/lib/dashboard/conversation_filters.ts";
import { OUTCOME_LABELS } from "@/lib/dashboard/inbox/outcome_labels.ts";
import { SOURCE_LABELS } from "../lib/dashboard/source_labels.ts";
import { formatMicroUsd } from "../lib/dashboard/format_amount.ts";

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
    <form method="get" action="/conversations" class="filters" aria-label="Filters">
      <div class="field filter-words">
        <label for="filter-q">Messages contain</label>
        <input
          type="search"
          id="filter-q"
          name="q"
          value={filters.q}
          maxLength={MAX_QUERY_LENGTH}
          placeholder="Words, or an ID"
          autocomplete="off"
          spellcheck={false}
        />
      </div>
      <Choice
        name="agentId"
        label="Agent"
        value={filters.agentId}
        any="Any agent"
        options={agents.map(({ id, name }) => [id, name])}
      />
      <Choice
        name="finish"
        label="Outcome"
        value={filters.finish}
        any="Any"
        options={[["failed", "Failed or interrupted"], ...FINISHES]}
      />
      <Choice
        name="source"
        label="Source"
        value={filters.source}
        any="Any source"
        options={Object.entries(SOURCE_LABELS)}
      />
      <details class="more-filters" open={filters.from + filters.to + filters.cost !== ""}>
        <summary>More filters</summary>
        <div class="more-filters-fields">
          <Day name="from" label="From (UTC)" value={filters.from} />
          <Day name="to" label="To (UTC)" value={filters.to} />
          <Choice
            name="cost"
            label="Cost"
            value={filters.cost}
            any="Any cost"
            options={costs.map((cost) => [String(cost), `${formatMicroUsd(cost)} or more`])}
          />
        </div>
      </details>
      <div class="filter-actions">
        <button class="button" type="submit">Apply</button>
      </div>
    </form>
  );
}

function Choice(
  { name, label, value, any, options }: {
    name: string;
    label: string;
    value: string;
    any: string;
    options: readonly (readonly [value: string, label: string])[];
  },
) {
  return (
    <div class="field">
      <label for={`filter-${name}`}>{label}</label>
      <select id={`filter-${name}`} name={name}>
        <option value="">{any}</option>
        {options.map(([one, text]) => (
          <option key={one} value={one} selected={one === value}>{text}</option>
        ))}
      </select>
    </div>
  );
}

function Day({ name, label, value }: { name: string; label: string; value: string }) {
  return (
    <div class="field">
      <label for={`filter-${name}`}>{label}</label>
      <input type="date" id={`filter-${name}`} name={name} value={value} />
    </div>
  );
}
