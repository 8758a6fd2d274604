import { z } from "zod";
import type { Runtime } from "../../platform/runtime.ts";
import { MODEL_TIMEOUT_BOUNDS } from "../../schemas/model_settings.ts";
import { DEMO_MODEL, PROVIDER_IDS, type ProviderId } from "../../schemas/provider_id.ts";
import { INSTALLATION, recordChange } from "../audit/audit_record.ts";
import { keys } from "../keys/keys.ts";
import type { KvReader } from "../tx/read_transaction.ts";
import { listRecords, updateRecord } from "../values/record.ts";

const optionalPrice = z.number().nonnegative().optional();
const T = MODEL_TIMEOUT_BOUNDS;

/** One model that the operator offers. Prices are USD per million tokens. */
export const catalogueEntrySchema = z.strictObject({
  vendor: z.enum(PROVIDER_IDS),
  model: z.string().min(1).max(256),
  inputUsdPerMTok: z.number().nonnegative(),
  outputUsdPerMTok: z.number().nonnegative(),
  /** Of input tokens read from the provider's cache; that of other input if it is absent. */
  cacheReadUsdPerMTok: optionalPrice,
  /** Of input tokens written to it for five minutes. Without it no provider is asked to cache. */
  cacheWriteUsdPerMTok: optionalPrice,
  /** Of input tokens written to it for an hour, which only gateways do by themselves. */
  cacheWrite1hUsdPerMTok: optionalPrice,
  /** Of hidden reasoning; that of other output if it is absent. */
  reasoningUsdPerMTok: optionalPrice,
  contextTokens: z.int().positive(),
  maxOutputTokens: z.int().positive(),
  /** The model reads images. */
  vision: z.boolean().optional(),
  /** Milliseconds until its provider must begin to respond; 60,000 if it is absent. */
  timeoutMs: z.int().min(T.min).max(T.max).optional(),
});
export type CatalogueEntry = z.infer<typeof catalogueEntrySchema>;

const catalogueRecordSchema = catalogueEntrySchema.extend({ v: z.literal(1) });

/** All entries at one version of the catalogue. */
type CachedCatalogue = { versionstamp: string | null; entries: readonly CatalogueEntry[] };

/**
 * The operator's models, and the embedded demo model for every provider unless it is turned off. Every
 * message needs them, so each process caches all entries and checks the version of one key.
 */
export class CatalogueStore {
  #kv: Deno.Kv;
  #includesDemo: boolean;
  #refresh: () => Promise<void>;
  #cached: CachedCatalogue | undefined;

  /** `refresh` runs after a change of the catalogue or of a provider connection, before its first use. */
  constructor(
    kv: Deno.Kv,
    options: { demoModel: boolean; refresh?: () => Promise<void> },
  ) {
    this.#kv = kv;
    this.#includesDemo = options.demoModel;
    this.#refresh = options.refresh ?? (() => Promise.resolve());
  }

  async get(
    provider: ProviderId,
    model: string,
    reader?: KvReader,
  ): Promise<CatalogueEntry | undefined> {
    const entries = await this.list(reader);
    return entries.find((entry) => entry.vendor === provider && entry.model === model);
  }

  async list(reader: KvReader = this.#kv): Promise<readonly CatalogueEntry[]> {
    const { versionstamp } = await reader.get(keys.catalogueVersion());
    if (this.#cached?.versionstamp !== versionstamp || this.#cached === undefined) {
      await this.#refresh();
      const demo = this.#includesDemo ? PROVIDER_IDS.map(demoEntry) : [];
      // Entries read after the version are as new or newer; in the latter case, the version changes too.
      this.#cached = { versionstamp, entries: [...demo, ...await this.listStored()] };
    }
    return this.#cached.entries;
  }

  /** Only the stored entries, which an operator may change. */
  async listStored(): Promise<CatalogueEntry[]> {
    const records = await listRecords(this.#kv, keys.catalogueEntries(), catalogueRecordSchema);
    return records.map(toEntry);
  }

  /** Adds an entry, or replaces the one of the same provider and model, from the next message on. */
  async set(entry: CatalogueEntry, runtime: Pick<Runtime, "now" | "uuid">): Promise<void> {
    const key = keys.catalogueEntry(entry.vendor, entry.model);
    const location = { key, schema: catalogueRecordSchema, what: "catalogue" };
    await updateRecord(this.#kv, location, (record, save) => {
      const before = record && toEntry(record);
      recordEntry(save({ v: 1, ...entry }), runtime, { before, after: entry });
    });
  }

  /** Removes an entry: agents that use the model are rejected from then on. False if there is none. */
  remove(
    provider: ProviderId,
    model: string,
    runtime: Pick<Runtime, "now" | "uuid">,
  ): Promise<boolean> {
    const key = keys.catalogueEntry(provider, model);
    const location = { key, schema: catalogueRecordSchema, what: "catalogue" };
    return updateRecord(this.#kv, location, (record, save) => {
      if (record === undefined) return false;
      recordEntry(save(undefined), runtime, { before: toEntry(record) });
      return true;
    });
  }

  /** Adds the missing entries at start; existing ones keep the dashboard's changes. */
  async addMissing(entries: readonly CatalogueEntry[]): Promise<void> {
    if (entries.length === 0) return;
    const idOf = ({ vendor, model }: CatalogueEntry) => `${vendor}/${model}`;
    const stored = new Set((await this.listStored()).map(idOf));
    for (const entry of entries.filter((one) => !stored.has(idOf(one)))) {
      const key = keys.catalogueEntry(entry.vendor, entry.model);
      await this.#kv.atomic()
        .check({ key, versionstamp: null })
        .set(key, { v: 1, ...entry })
        .set(keys.catalogueVersion(), 1)
        .commit();
    }
  }
}

/** Adds to `step` the new version of the catalogue and the audit entry. */
function recordEntry(
  step: Deno.AtomicOperation,
  runtime: Pick<Runtime, "now" | "uuid">,
  { before, after }: { before?: CatalogueEntry | undefined; after?: CatalogueEntry },
): void {
  const { vendor, model } = (after ?? before)!;
  const action = after === undefined ? "delete" : before === undefined ? "create" : "change";
  const name = `${vendor}/${model}`;
  const target = { id: name, name };
  const change = { tenant: INSTALLATION, kind: "model", action, target, before, after } as const;
  recordChange(step.set(keys.catalogueVersion(), 1), runtime, change);
}

function toEntry({ v: _, ...entry }: z.infer<typeof catalogueRecordSchema>): CatalogueEntry {
  return entry;
}

function demoEntry(provider: ProviderId): CatalogueEntry {
  return {
    vendor: provider,
    model: DEMO_MODEL,
    inputUsdPerMTok: 0,
    outputUsdPerMTok: 0,
    contextTokens: 128_000,
    maxOutputTokens: 4_096,
    vision: true,
  };
}
