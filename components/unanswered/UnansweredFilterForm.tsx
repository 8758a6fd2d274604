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
      <Choice
        name="agentId"
        label={t("Agent")}
        value={filters.agentId}
        options={[["", t("Any agent")], ...agents.map(({ id, name }) => [id, name] as const)]}
      />
      <Choice
        name="reason"
        label={t("Reason")}
        value={filters.reason}
        options={[["", t("Any")], ...named(REASON_LABELS)]}
      />
      <Choice
        name="state"
        label={t("State")}
        value={filters.state}
        options={[["", t("To do")], ...named(STATE_LABELS), ["all", t("All")]]}
      />
      <Day name="from" label={t("From (UTC)")} value={filters.from} />
      <Day name="to" label={t("To (UTC)")} value={filters.to} />
      <div class="filter-actions">
        <button class="button" type="submit">{t("Apply")}</button>
      </div>
    </form>
  );
}

function Choice(
  { name, label, value, options }: { name: string; label: string; value: string; options: Options },
) {
  return (
    <div class="field">
      <label for={`filter-${name}`}>{label}</label>
      <select id={`filter-${name}`} name={name}>
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
