import {
  type ConversationFilters,
  conversationsHref,
} from "@/lib/dashboard/conversation_filters.ts";
import { formatMicroUsd } from "@/lib/dashboard/format_amount.ts";
import { OUTCOME_LABELS } from "@/lib/dashboard/inbox/outcome_labels.ts";
import { SOURCE_LABELS } from "@/lib/dashboard/source_labels.ts";

export interface FilterChipsProps {
  filters: ConversationFilters;
  names: ReadonlyMap<string, string>;
}

/** The filters that apply, each as a link that removes it. */
export function FilterChips({ filters, names }: FilterChipsProps) {
  const active = Object.entries(filters).filter(([, value]) => value !== "");
  if (active.length === 0) return null;
  return (
    <ul class="chips" aria-label="Active filters">
      {active.map(([name, value]) => {
        const label = chipLabel(name as keyof ConversationFilters, { value, names });
        return (
          <li key={name}>
            <a
              class="chip"
              href={conversationsHref({ ...filters, [name]: "" })}
              aria-label={`Remove filter: ${label}`}
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
          <a class="chip chip-clear" href="/conversations" aria-current="false">Clear all</a>
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
      return `Agent: ${names.get(value) ?? "Deleted agent"}`;
    case "from":
      return `From ${value}`;
    case "to":
      return `Until ${value}`;
    case "finish":
      return `Outcome: ${outcomeName(value)}`;
    case "cost":
      return `Cost: ${formatMicroUsd(Number(value))} or more`;
    case "source":
      return `Source: ${
        Object.entries(SOURCE_LABELS).find(([key]) => key === value)?.[1] ?? value
      }`;
    case "q":
      return `Contains “${value}”`;
    default:
      return name satisfies never;
  }
}

function outcomeName(value: string): string {
  if (value === "failed") return "Failed or interrupted";
  return Object.entries(OUTCOME_LABELS).find(([key]) => key === value)?.[1] ?? value;
}
