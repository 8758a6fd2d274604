import { z } from "zod";
import type { KvReader } from "../committer/view.ts";
import { DEMO_MODEL, type Vendor, VENDORS } from "../wire/vendors.ts";
import { keys } from "./keys.ts";
import { parseRecord } from "./record.ts";

/** One model the operator offers. Prices are USD per million tokens. */
export const catalogueEntrySchema = z.strictObject({
  vendor: z.enum(VENDORS),
  model: z.string().min(1).max(256),
  inputUsdPerMTok: z.number().nonnegative(),
  outputUsdPerMTok: z.number().nonnegative(),
  contextTokens: z.int().positive(),
  maxOutputTokens: z.int().positive(),
});
export type CatalogueEntry = z.infer<typeof catalogueEntrySchema>;

const catalogueRecordSchema = catalogueEntrySchema.extend({ v: z.literal(1) });

/** All entries as they were at one version of the catalogue. */
interface Copy {
  versionstamp: string | null;
  entries: readonly CatalogueEntry[];
}

/**
 * The operator's models; the embedded demo model is in every slot unless it is turned off. They are
 * few and asked for with every message: a process keeps a copy, and one key tells whether it is old.
 */
export class CatalogueStore {
  #kv: Deno.Kv;
  #demo: boolean;
  #copy: Copy | undefined;

  constructor(kv: Deno.Kv, options: { demoModel: boolean }) {
    this.#kv = kv;
    this.#demo = options.demoModel;
  }

  async get(
    vendor: Vendor,
    model: string,
    reader?: KvReader,
  ): Promise<CatalogueEntry | undefined> {
    const entries = await this.list(reader);
    return entries.find((entry) => entry.vendor === vendor && entry.model === model);
  }

  async list(reader: KvReader = this.#kv): Promise<readonly CatalogueEntry[]> {
    const { versionstamp } = await reader.get(keys.catalogueVersion());
    if (this.#copy?.versionstamp !== versionstamp || this.#copy === undefined) {
      // Entries read after their version are of that version or newer, and then the version is too.
      this.#copy = { versionstamp, entries: await this.#readAll() };
    }
    return this.#copy.entries;
  }

  async #readAll(): Promise<CatalogueEntry[]> {
    const entries = this.#demo ? VENDORS.map(demoEntry) : [];
    for await (const row of this.#kv.list({ prefix: keys.catalogueEntries() })) {
      const entry = toEntry(row);
      if (entry) entries.push(entry);
    }
    return entries;
  }

  /** Adds entries at start; one that exists is left as the dashboard's edits made it. */
  async addMissing(entries: readonly CatalogueEntry[]): Promise<void> {
    for (const entry of entries) {
      const key = keys.catalogueEntry(entry.vendor, entry.model);
      await this.#kv.atomic()
        .check({ key, versionstamp: null })
        .set(key, { v: 1, ...entry })
        .set(keys.catalogueVersion(), 1)
        .commit();
    }
  }
}

function toEntry(row: Deno.KvEntryMaybe<unknown>): CatalogueEntry | undefined {
  const record = parseRecord(catalogueRecordSchema, row);
  if (record === undefined) return undefined;
  const { v: _, ...entry } = record;
  return entry;
}

function demoEntry(vendor: Vendor): CatalogueEntry {
  return {
    vendor,
    model: DEMO_MODEL,
    inputUsdPerMTok: 0,
    outputUsdPerMTok: 0,
    contextTokens: 128_000,
    maxOutputTokens: 4_096,
  };
}
