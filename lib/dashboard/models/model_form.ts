import {
  type CatalogueEntry,
  catalogueEntrySchema,
} from "../../store/providers/catalogue_store.ts";
import { DEMO_MODEL } from "../../schemas/provider_id.ts";

/** A catalogue entry as its form holds it: texts, exactly as typed. */
export type ModelFormValues = Record<keyof CatalogueEntry, string>;

export type ModelFormIssues = Partial<Record<keyof CatalogueEntry, string>>;

const FIELDS = Object.keys(catalogueEntrySchema.shape) as (keyof CatalogueEntry)[];

export const NEW_MODEL: ModelFormValues = {
  vendor: "vendor_a",
  model: "",
  inputUsdPerMTok: "",
  outputUsdPerMTok: "",
  contextTokens: "128000",
  maxOutputTokens: "8192",
};

export function toModelForm(entry: CatalogueEntry): ModelFormValues {
  const texts = FIELDS.map((field) => [field, String(entry[field])]);
  return Object.fromEntries(texts) as ModelFormValues;
}

export function readModelForm(form: URLSearchParams): ModelFormValues {
  const texts = FIELDS.map((field) => [field, (form.get(field) ?? "").trim()]);
  return Object.fromEntries(texts) as ModelFormValues;
}

/** The entry that a form comes to, or what is wrong with it by field. */
export function parseModelForm(
  values: ModelFormValues,
): { entry: CatalogueEntry } | { faults: ModelFormIssues } {
  if (values.model === DEMO_MODEL) return { faults: { model: "The demo model is always there." } };
  const number = (text: string) => text === "" ? NaN : Number(text);
  const parsed = catalogueEntrySchema.safeParse({
    vendor: values.vendor,
    model: values.model,
    inputUsdPerMTok: number(values.inputUsdPerMTok),
    outputUsdPerMTok: number(values.outputUsdPerMTok),
    contextTokens: number(values.contextTokens),
    maxOutputTokens: number(values.maxOutputTokens),
  });
  if (parsed.success) return { entry: parsed.data };
  const faults = parsed.error.issues.map((
    { path },
  ) => [String(path[0]), MESSAGES[String(path[0])]]);
  return { faults: Object.fromEntries(faults) as ModelFormIssues };
}

const MESSAGES: Record<string, string> = {
  vendor: "Choose a slot.",
  model: "Enter the vendor's name for the model, at most 256 characters.",
  inputUsdPerMTok: "Enter a price of 0 or more.",
  outputUsdPerMTok: "Enter a price of 0 or more.",
  contextTokens: "Enter a whole number above 0.",
  maxOutputTokens: "Enter a whole number above 0.",
};

/** The address of an entry's page; a model's name may hold any character. */
export function modelHref(
  page: "model" | "delete",
  { vendor, model }: Pick<CatalogueEntry, "vendor" | "model">,
): string {
  return `/operator/catalogue/${page}?${new URLSearchParams({ vendor, model })}`;
}

/** The entry that an address names, if the catalogue has it. */
export function findModel(entries: readonly CatalogueEntry[], url: URL) {
  const [vendor, model] = ["vendor", "model"].map((name) => url.searchParams.get(name));
  return entries.find((entry) => entry.vendor === vendor && entry.model === model);
}
