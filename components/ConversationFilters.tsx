import type { ConversationFilters as Filters } from "@/lib/dashboard/conversation_filters.ts";
import { FINISH_LABELS } from "../lib/dashboard/finish_labels.ts";
import { SOURCE_LABELS } from "../lib/dashboard/source_labels.ts";
import { formatMicroUsd } from "../lib/dashboard/format_amount.ts";

export interface ConversationFiltersProps {
  filters: Filters;
  /** The options, including the selected one. */
  agents: readonly { id: string; name: string }[];
  /** Micro-USD. */
  costs: readonly number[];
}

/** Filters of the conversations list, as a form that works without scripts. */
export function ConversationFilters({ filters, agents, costs }: ConversationFiltersProps) {
  return (
    <form method="get" action="/conversations" class="filters" aria-label="Filters">
      <Choice
        name="agentId"
        label="Agent"
        value={filters.agentId}
        any="Any agent"
        options={agents.map(({ id, name }) => [id, name])}
      />
      <Day name="from" label="From (UTC)" value={filters.from} />
      <Day name="to" label="To (UTC)" value={filters.to} />
      <Choice
        name="finish"
        label="Status"
        value={filters.finish}
        any="Any status"
        options={[["failed", "Failed (error or interrupted)"], ...Object.entries(FINISH_LABELS)]}
      />
      <Choice
        name="cost"
        label="Cost"
        value={filters.cost}
        any="Any cost"
        options={costs.map((cost) => [String(cost), `${formatMicroUsd(cost)} or more`])}
      />
      <Choice
        name="source"
        label="Source"
        value={filters.source}
        any="Any source"
        options={Object.entries(SOURCE_LABELS)}
      />
      <div class="filter-actions">
        <button class="button" type="submit">Apply</button>
        {Object.values(filters).some((value) => value !== "") && (
          <a class="button" href="/conversations" aria-current="false">Clear</a>
        )}
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

/** Finds a conversation by its id or the id of one of its runs. */
export function FindConversation({ id, missing }: { id: string; missing: boolean }) {
  return (
    <form method="get" action="/conversations" class="find" role="search">
      <label class="sr-only" for="find-id">Conversation or run ID</label>
      <input
        type="search"
        id="find-id"
        name="id"
        class="mono"
        placeholder="Conversation or run ID"
        value={id}
        autocomplete="off"
        spellcheck={false}
        {...(missing ? { "aria-invalid": "true", "aria-describedby": "find-fault" } : {})}
      />
      <button class="button" type="submit">Find</button>
      {missing && (
        <p class="field-error" id="find-fault">
          No conversation or run has this ID.
        </p>
      )}
    </form>
  );
}
