import type { CatalogueEntry } from "@/lib/store/providers/catalogue_store.ts";
import type { ModelGroup } from "@/lib/dashboard/models/model_groups.ts";
import { DEMO_MODEL } from "@/lib/schemas/provider_id.ts";
import { formatCompact } from "@/lib/dashboard/format_amount.ts";
import type { ControlAttributes } from "./Field.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

export interface ModelSelectProps {
  attributes: ControlAttributes;
  groups: ModelGroup[];
  /** `<provider>/<model>`, or blank. */
  value: string;
  /** Label of the blank option; without it, a model is required. */
  blank?: string;
}

/** Selects a model of the catalog. A selected model stays visible after its removal. */
export function ModelSelect({ attributes, groups, value, blank }: ModelSelectProps) {
  // The demo model is the same for every provider.
  const isDemo = value.endsWith(`/${DEMO_MODEL}`);
  const isSelected = (entry: CatalogueEntry) =>
    valueOf(entry) === value || isDemo && entry.model === DEMO_MODEL;
  const isOffered = groups.some((group) => group.models.some(isSelected));
  return (
    <select {...attributes} required={blank === undefined}>
      {blank !== undefined && <option value="">{blank}</option>}
      {value !== "" && !isOffered && (
        <option value={value} selected>{t("{value} (no longer offered)", { value })}</option>
      )}
      {groups.map((group) => (
        <optgroup key={group.label} label={group.label}>
          {group.models.map((entry) => (
            <option
              key={entry.model}
              value={isSelected(entry) ? value : valueOf(entry)}
              selected={isSelected(entry)}
              data-input-usd={entry.inputUsdPerMTok}
              data-output-usd={entry.outputUsdPerMTok}
            >
              {describe(entry)}
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  );
}

function valueOf(entry: CatalogueEntry): string {
  return `${entry.vendor}/${entry.model}`;
}

/** The name with its context size and a hint of its price. */
function describe(entry: CatalogueEntry): string {
  if (entry.model === DEMO_MODEL) return t("Demo model (free)");
  return t("{model} ({contextTokens} context, {price})", {
    model: entry.model,
    contextTokens: formatCompact(entry.contextTokens),
    price: priceHint(entry),
  });
}

/** `$` to `$$$$` by the price of a typical answer, or `free`. */
function priceHint({ inputUsdPerMTok, outputUsdPerMTok }: CatalogueEntry): string {
  const usd = (inputUsdPerMTok * 3 + outputUsdPerMTok) / 4;
  if (usd === 0) return "free";
  return "$".repeat(1 + [0.5, 3, 12].filter((limit) => usd > limit).length);
}
