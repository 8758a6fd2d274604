import {
  type CatalogueEntry,
  catalogueEntrySchema,
} from "../../store/providers/catalogue_store.ts";
import { DEMO_MODEL } from "../../schemas/provider_id.ts";
import { msg, t } from "../texts/translate.ts";

export type ModelFormValues = Record<keyof CatalogueEntry, string>;

export type ModelFormIssues = Partial<Record<keyof CatalogueEntry, string>>;

const FIELDS = Object.keys(catalogueEntrySchema.shape) as (keyof CatalogueEntry)[];

export const NEW_MODEL: ModelFormValues = {
  vendor: "vendor_a",
  model: "",
  inputUsdPerMTok: "",
  outputUsdPerMTok: "",
  cacheReadUsdPerMTok: "",
  cacheWriteUsdPerMTok: "",
  cacheWrite1hUsdPerMTok: "",
  reasoningUsdPerMTok: "",
  contextTokens: "128000",
  maxOutputTokens: "8192",
  vision: "",
  timeoutMs: "",
};

/** Fields that may be blank. */
export const OPTIONAL_PRICES = [
  "cacheReadUsdPerMTok",
  "cacheWriteUsdPerMTok",
  "cacheWrite1hUsdPerMTok",
  "reasoningUsdPerMTok",
] as const satisfies readonly (keyof CatalogueEntry)[];
const OPTIONAL_FIELDS: readonly string[] = [...OPTIONAL_PRICES, "timeoutMs"];

export function toModelForm(entry: CatalogueEntry): ModelFormValues {
  const texts = FIELDS.map((field) => [field, String(entry[field] ?? "")]);
  const values = Object.fromEntries(texts) as ModelFormValues;
  return { ...values, vision: entry.vision === true ? "yes" : "" };
}

export function readModelForm(form: URLSearchParams): ModelFormValues {
  const texts = FIELDS.map((field) => [field, (form.get(field) ?? "").trim()]);
  return Object.fromEntries(texts) as ModelFormValues;
}

export function parseModelForm(
  values: ModelFormValues,
): { entry: CatalogueEntry } | { issues: ModelFormIssues } {
  const isDemo = values.model === DEMO_MODEL;
  if (isDemo) return { issues: { model: t("The demo model is always available.") } };
  const { vendor, model, vision, ...numbers } = values;
  const typed = Object.entries(numbers)
    .filter(([field, text]) => text !== "" || !OPTIONAL_FIELDS.includes(field))
    .map(([field, text]) => [field, text === "" ? NaN : Number(text)]);
  const parsed = catalogueEntrySchema.safeParse({
    ...{ vendor, model, ...Object.fromEntries(typed) },
    ...vision !== "" && { vision: true },
  });
  if (parsed.success) return { entry: parsed.data };
  const fields = parsed.error.issues.map(({ path }) => String(path[0]));
  return { issues: Object.fromEntries(fields.map((field) => [field, MESSAGES[field]])) };
}

const MESSAGES: Record<string, string> = {
  vendor: msg("Choose a provider."),
  model: msg("Enter the provider's name for the model, at most 256 characters."),
  inputUsdPerMTok: msg("Enter a price of 0 or more."),
  outputUsdPerMTok: msg("Enter a price of 0 or more."),
  ...Object.fromEntries(
    OPTIONAL_PRICES.map((field) => [field, msg("Enter a price of 0 or more, or leave it blank.")]),
  ),
  timeoutMs: msg("Enter a whole number from 1,000 to 600,000, or leave it blank."),
  contextTokens: msg("Enter a whole number above 0."),
  maxOutputTokens: msg("Enter a whole number above 0."),
};

/** The URL of an entry's page; a model's name may contain any character. */
export function modelHref(
  page: "model" | "delete",
  { vendor, model }: Pick<CatalogueEntry, "vendor" | "model">,
): string {
  return `/operator/models/${page}?${new URLSearchParams({ vendor, model })}`;
}

export function findModel(entries: readonly CatalogueEntry[], url: URL) {
  const [vendor, model] = ["vendor", "model"].map((name) => url.searchParams.get(name));
  return entries.find((entry) => entry.vendor === vendor && entry.model === model);
}
