import type { AuditFilters } from "@/lib/dashboard/audit_filters.ts";
import { Field } from "./Field.tsx";

/** A value of a choice and what people call it. */
export type Choice = readonly [value: string, label: string];

export interface AuditFilterFormProps {
  filters: AuditFilters;
  kinds: readonly Choice[];
  actors: readonly Choice[];
  /** Operators may look at the installation's own log too. */
  operator: boolean;
}

/** Narrows the audit log down; a plain form whose answer has its filters in the address. */
export function AuditFilterForm({ filters, kinds, actors, operator }: AuditFilterFormProps) {
  return (
    <form method="get" action="/audit" class="filters" aria-label="Filters">
      {operator && (
        <FilterSelect
          name="log"
          label="Log"
          value={filters.log}
          choices={[["", "This tenant"], ["installation", "The installation"]]}
        />
      )}
      <FilterSelect
        name="kind"
        label="What"
        value={filters.kind}
        choices={[["", "Anything"], ...kinds]}
      />
      <FilterSelect
        name="actor"
        label="Who"
        value={filters.actor}
        choices={[["", "Anybody"], ...actors]}
      />
      <Day name="from" label="From (UTC)" value={filters.from} />
      <Day name="to" label="To (UTC)" value={filters.to} />
      <div class="filter-actions">
        <button class="button" type="submit">Show</button>
        {Object.values(filters).some((value) => value !== "") && (
          <a class="button" href="/audit" aria-current="false">Clear</a>
        )}
      </div>
    </form>
  );
}

function FilterSelect(
  props: { name: string; label: string; value: string; choices: readonly Choice[] },
) {
  return (
    <Field name={props.name} label={props.label}>
      {(attributes) => (
        <select {...attributes}>
          {props.choices.map(([value, label]) => (
            <option key={value} value={value} selected={value === props.value}>{label}</option>
          ))}
        </select>
      )}
    </Field>
  );
}

function Day({ name, label, value }: { name: string; label: string; value: string }) {
  return (
    <Field name={name} label={label}>
      {(attributes) => <input type="date" {...attributes} value={value} />}
    </Field>
  );
}
