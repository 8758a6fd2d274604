import type { CatalogueEntry } from "@/lib/store/providers/catalogue_store.ts";
import { DEMO_MODEL } from "@/lib/schemas/provider_id.ts";
import type { ControlAttributes } from "./Field.tsx";

/** The models of one provider connection. */
export interface ModelGroup {
  label: string;
  models: CatalogueEntry[];
}

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
  const values = groups.flatMap((group) => group.models.map(valueOf));
  return (
    <select {...attributes} required={blank === undefined}>
      {blank !== undefined && <option value="">{blank}</option>}
      {value !== "" && !values.includes(value) && (
        <option value={value} selected>{`${value} (no longer offered)`}</option>
      )}
      {groups.map((group) => (
        <optgroup key={group.label} label={group.label}>
          {group.models.map((entry) => (
            <option
              key={entry.model}
              value={valueOf(entry)}
              selected={valueOf(entry) === value}
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

function describe(entry: CatalogueEntry): string {
  if (entry.model === DEMO_MODEL) return "Demo model (built in, free)";
  const price = (usd: number) => `$${usd}`;
  return `${entry.model} (${price(entry.inputUsdPerMTok)} in, ` +
    `${price(entry.outputUsdPerMTok)} out per million tokens)`;
}
