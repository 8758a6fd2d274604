import type { AuditFilters } from "@/lib/dashboard/audit_filters.ts";
import { Field } from "./Field.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** An option of a filter. */
export type Choice = readonly [value: string, label: string];

export interface AuditFilterFormProps {
  filters: AuditFilters;
  kinds: readonly Choice[];
  actors: readonly Choice[];
  /** Operators may also view the installation's log. */
  operator: boolean;
}

/** Filters of the audit log, as a form that puts them into the address. */
export function AuditFilterForm({ filters, kinds, actors, operator }: AuditFilterFormProps) {
  return (
    <form method="get" action="/audit" class="filters" autocomplete="off" aria-label={t("Filters")}>
      {operator && (
        <FilterSelect
          name="log"
          label={t("Log")}
          value={filters.log}
          choices={[["", t("This tenant")], ["installation", t("The installation")]]}
        />
      )}
      <FilterSelect
        name="kind"
        label={t("Type")}
        value={filters.kind}
        choices={[["", t("All types")], ...kinds]}
      />
      <FilterSelect
        name="actor"
        label={t("User")}
        value={filters.actor}
        choices={[["", t("Everyone")], ...actors]}
      />
      <TextFilter name="target" label={t("ID of what changed")} value={filters.target} />
      <TextFilter name="address" label={t("IP address")} value={filters.address} />
      <Day name="from" label={t("From (UTC)")} value={filters.from} />
      <Day name="to" label={t("To (UTC)")} value={filters.to} />
      <div class="filter-actions">
        <button class="button" type="submit">{t("Apply")}</button>
        {Object.values(filters).some((value) =>
          value !== ""
        ) && <a class="button" href="/audit" aria-current="false">{t("Clear")}</a>}
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

function TextFilter({ name, label, value }: { name: string; label: string; value: string }) {
  return (
    <Field name={name} label={label}>
      {(attributes) => <input type="text" {...attributes} value={value} maxLength={2_048} />}
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
