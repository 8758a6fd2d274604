import type { Service } from "../../http/service.ts";
import { listModels } from "../../providers/list_models.ts";
import { guessVision } from "../../providers/guess_vision.ts";
import { MODEL_FACTS_DATE, readModelFacts } from "../../providers/model_facts.ts";
import { testConnection } from "../../providers/test_connection.ts";
import type { ConnectionConfig } from "../../schemas/connection_config.ts";
import type { ProviderId } from "../../schemas/provider_id.ts";
import { isLoopbackHost } from "../../schemas/origins.ts";
import {
  type CatalogueEntry,
  catalogueEntrySchema,
} from "../../store/providers/catalogue_store.ts";
import { quoteProvider } from "./connect_provider.ts";
import { t } from "../texts/translate.ts";
import { translateMessage } from "../texts/service_message.ts";

/** Rows shown at once; a search finds the others. */
const MAX_ROWS = 60;
const MAX_PRESELECTED = 3;
const DEFAULT_CONTEXT_TOKENS = 32_768;
const MAX_DEFAULT_OUTPUT_TOKENS = 16_384;
/** Dated snapshots, previews and aliases: the plain name is the better choice. */
const VARIANT = /\d{4}-?\d{2}-?\d{2}|-\d{4}$|preview|latest|exp|beta|:free/i;

/** The numbers of a model as typed; the last two are not shown, and may be blank. */
export type ModelNumbers = Record<(typeof NUMBER_FIELDS | typeof CACHE_PRICES)[number], string>;
export const NUMBER_FIELDS = [
  "inputUsdPerMTok",
  "outputUsdPerMTok",
  "contextTokens",
  "maxOutputTokens",
] as const;
/** Prices that the page takes from the bundled table; they can be changed on the model's page. */
export const CACHE_PRICES = ["cacheReadUsdPerMTok", "cacheWriteUsdPerMTok"] as const;

/** A model that can be added, or is in the catalog already. */
export interface ModelChoice {
  model: string;
  numbers: ModelNumbers;
  vision: boolean;
  chosen: boolean;
  stored: boolean;
  issue?: string;
}

export interface ModelChoices {
  choices: ModelChoice[];
  /** Chat models that the provider has, whether shown or not. */
  total: number;
  /** Why there is no list; names can be typed. */
  error?: string;
  /** Day of the bundled prices, if they were used. */
  factsDate?: string;
}

/** A connection with its key, from the environment or the dashboard. */
export async function findConfig(
  { config, connections }: Pick<Service, "config" | "connections">,
  vendor: ProviderId,
): Promise<ConnectionConfig | undefined> {
  return config.connections[vendor] ?? (await connections.unsealAll()).connections[vendor];
}

/** The models of a connection that match `query`, with prices and sizes filled in. */
export async function loadModelChoices(
  { runtime, catalogue }: Pick<Service, "runtime" | "catalogue">,
  { vendor, config, query }: { vendor: ProviderId; config: ConnectionConfig; query: string },
): Promise<ModelChoices> {
  const [listed, entries] = await Promise.all([
    listModels(config, { runtime }),
    catalogue.listStored(),
  ]);
  const stored = new Map(
    entries.filter((entry) => entry.vendor === vendor).map((entry) => [entry.model, entry]),
  );
  if ("error" in listed) {
    const error = quoteProvider(
      t("Couldn't load the provider's models: {message}.", {
        message: translateMessage(listed.error.message),
      }),
      listed.error.words,
    );
    return { choices: [], total: 0, error };
  }
  const chat = listed.models.filter(({ isChat }) => isChat);
  const words = query.toLowerCase().split(/\s+/);
  const matching = chat.filter(({ model }) =>
    words.every((word) => model.toLowerCase().includes(word))
  ).sort((a, b) => b.model.localeCompare(a.model, "en", { numeric: true }));
  const facts = await readModelFacts(matching.map(({ model }) => model), config.baseUrl);
  const isFree = isLoopbackHost(new URL(config.baseUrl).hostname);
  const all = matching.map((one): ModelChoice => {
    const known = stored.get(one.model) ?? { ...facts.get(one.model), ...one };
    return {
      model: one.model,
      numbers: toNumbers(known, { isFree }),
      vision: stored.get(one.model)?.vision ?? (!stored.has(one.model) && guessVision(one.model)),
      stored: stored.has(one.model),
      chosen: false,
    };
  });
  if (query === "") preselect(all);
  const first = all.toSorted((a, b) => Number(b.chosen || b.stored) - Number(a.chosen || a.stored));
  const usedFacts = facts.size > 0;
  return {
    choices: first.slice(0, MAX_ROWS),
    total: chat.length,
    ...usedFacts && { factsDate: MODEL_FACTS_DATE },
  };
}

function toNumbers(
  known: { [name in keyof ModelNumbers]?: number | undefined },
  { isFree }: { isFree: boolean },
): ModelNumbers {
  const { contextTokens = DEFAULT_CONTEXT_TOKENS } = known;
  const maxOutput = known.maxOutputTokens ??
    Math.min(MAX_DEFAULT_OUTPUT_TOKENS, contextTokens >> 1);
  const price = (usd: number | undefined) => usd === undefined ? (isFree ? "0" : "") : String(usd);
  return {
    inputUsdPerMTok: price(known.inputUsdPerMTok),
    outputUsdPerMTok: price(known.outputUsdPerMTok),
    cacheReadUsdPerMTok: String(known.cacheReadUsdPerMTok ?? ""),
    cacheWriteUsdPerMTok: String(known.cacheWriteUsdPerMTok ?? ""),
    contextTokens: String(contextTokens),
    maxOutputTokens: String(maxOutput),
  };
}

/** Chooses the newest models with a plain name and a price, if none is in the catalog yet. */
function preselect(choices: readonly ModelChoice[]): void {
  if (choices.some(({ stored }) => stored)) return;
  const priced = choices.filter(({ numbers }) => numbers.inputUsdPerMTok !== "");
  const plain = priced.filter(({ model }) => !VARIANT.test(model));
  const best = plain.length > 0 ? plain : priced.length > 0 ? priced : choices;
  for (const choice of best.slice(0, MAX_PRESELECTED)) choice.chosen = true;
}

/** The chosen models of a form, and a typed one; each with its numbers, or with what is wrong. */
export function parseModelChoices(
  form: URLSearchParams,
  vendor: ProviderId,
): { entries: CatalogueEntry[]; choices: ModelChoice[] } {
  const typed = (form.get("typed") ?? "").trim();
  const names = [...new Set([...form.getAll("model"), ...typed === "" ? [] : [typed]])];
  const entries: CatalogueEntry[] = [];
  const choices = names.map((model): ModelChoice => {
    const key = model === typed && !form.has(`contextTokens:${model}`) ? "typed" : model;
    const numbers = Object.fromEntries(
      [...NUMBER_FIELDS, ...CACHE_PRICES]
        .map((field) => [field, (form.get(`${field}:${key}`) ?? "").trim()]),
    ) as ModelNumbers;
    const isOptional = (field: string) => CACHE_PRICES.some((name) => name === field);
    const values = Object.entries(numbers)
      .filter(([field, text]) => text !== "" || !isOptional(field))
      .map(([field, text]) => [field, text === "" ? NaN : Number(text)]);
    const vision = form.get(`vision:${key}`) === "yes";
    const parsed = catalogueEntrySchema.safeParse({
      ...{ vendor, model, ...Object.fromEntries(values) },
      ...vision && { vision },
    });
    const choice = { model, numbers, vision, chosen: true, stored: false };
    if (parsed.success) entries.push(parsed.data);
    return parsed.success ? choice : { ...choice, issue: t("Enter its prices and sizes.") };
  });
  return { entries, choices };
}

/** Tests the first model with a short request and stores all; returns a message if it fails. */
export async function addModels(
  { runtime, catalogue, log }: Pick<Service, "runtime" | "catalogue" | "log">,
  { vendor, config, entries }: {
    vendor: ProviderId;
    config: ConnectionConfig;
    entries: readonly [CatalogueEntry, ...CatalogueEntry[]];
  },
): Promise<string | undefined> {
  const [{ model }] = entries;
  const report = (event: object) => log.warn("a model failed its test", { ...event });
  const error = await testConnection({ provider: vendor, config, model }, { runtime, report });
  if (error !== undefined) {
    return quoteProvider(
      t("Couldn't add the models: {model} did not answer. {message}.", {
        model,
        message: translateMessage(error.message),
      }),
      error.words,
    );
  }
  for (const entry of entries) await catalogue.set(entry, runtime);
}
