import {
  type ConversationFilters,
  conversationsHref,
} from "@/lib/dashboard/conversation_filters.ts";
import { formatMicroUsd } from "@/lib/dashboard/format_amount.ts";
import { OUTCOME_LABELS } from "@/lib/dashboard/inbox/outcome_labels.ts";
import { RATING_FILTER_LABELS } from "@/lib/dashboard/inbox/rating_labels.ts";
import { SOURCE_LABELS } from "@/lib/dashboard/source_labels.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

export interface FilterChipsProps {
  filters: ConversationFilters;
  names: ReadonlyMap<string, string>;
}

/** The filters that apply, each as a link that removes it. */
export function FilterChips({ filters, names }: FilterChipsProps) {
  const active = Object.entries(filters).filter(([, value]) => value !== "");
  if (active.length === 0) return null;
  return (
    <ul class="chips" aria-label={t("Active filters")}>
      {active.map(([name, value]) => {
        const label = chipLabel(name as keyof ConversationFilters, { value, names });
        return (
          <li key={name}>
            <a
              class="chip"
              href={conversationsHref({ ...filters, [name]: "" })}
              aria-label={t("Remove filter: {label}", { label })}
              aria-current="false"
            >
              {label}
              <span aria-hidden="true">×</span>
            </a>
          </li>
        );
      })}
      {active.length > 1 && (
        <li>
          <a class="chip chip-clear" href="/conversations" aria-current="false">{t("Clear all")}</a>
        </li>
      )}
    </ul>
  );
}

function chipLabel(
  name: keyof ConversationFilters,
  { value, names }: { value: string; names: ReadonlyMap<string, string> },
): string {
  switch (name) {
    case "agentId":
      return t("Agent: {value}", { value: names.get(value) ?? t("Deleted agent") });
    case "from":
      return t("From {value}", { value });
    case "to":
      return t("Until {value}", { value });
    case "finish":
      return t("Outcome: {value}", { value: outcomeName(value) });
    case "cost":
      return t("Cost: {value} or more", { value: formatMicroUsd(Number(value)) });
    case "source":
      return t("Source: {value}", {
        value: t(Object.entries(SOURCE_LABELS).find(([key]) => key === value)?.[1] ?? value),
      });
    case "rating":
      return t("Rating: {value}", { value: t(ratingName(value)) });
    case "q":
      return t("Contains “{value}”", { value });
    default:
      return name satisfies never;
  }
}

function ratingName(value: string): string {
  return Object.entries(RATING_FILTER_LABELS).find(([key]) => key === value)?.[1] ?? value;
}

function outcomeName(value: string): string {
  if (value === "failed") return t("Failed or interrupted");
  return t(Object.entries(OUTCOME_LABELS).find(([key]) => key === value)?.[1] ?? value);
}
