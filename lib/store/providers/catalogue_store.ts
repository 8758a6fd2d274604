import { z } from "zod";
import type { KvReader } from "../tx/read_transaction.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { DEMO_MODEL, PROVIDER_IDS, type ProviderId } from "../../schemas/provider_id.ts";
import { INSTALLATION, recordChange } from "../audit/audit_record.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord, retryUntilCommitted } from "../values/record.ts";

/** One model the operator offers. Prices are USD per million tokens. */
export const catalogueEntrySchema = z.strictObject({
  vendor: z.enum(PROVIDER_IDS),
  model: z.string().min(1).max(256),
  inputUsdPerMTok: z.number().nonnegative(),
  outputUsdPerMTok: z.number().nonnegative(),
  contextTokens: z.int().positive(),
  maxOutputTokens: z.int().positive(),
});
export type CatalogueEntry = z.infer<typeof catalogueEntrySchema>;

const catalogueRecordSchema = catalogueEntrySchema.extend({ v: z.literal(1) });

/** All entries as they were at one version of the catalogue. */
interface CachedCatalogue {
  versionstamp: string | null;
  entries: readonly CatalogueEntry[];
}

/**
 * The operator's models; the embedded demo model is in every slot unless it is turned off. They are
 * few and asked for with every message: a process keeps a copy, and one key tells whether it is old.
 */
export class CatalogueStore {
  #kv: Deno.Kv;
  #includesDemo: boolean;
  #refresh: () => Promise<void>;
  #cached: CachedCatalogue | undefined;

  /** `refresh` runs whenever the catalogue or a vendor slot has changed, before that is used. */
  constructor(
    kv: Deno.Kv,
    options: { demoModel: boolean; refresh?: () => Promise<void> },
  ) {
    this.#kv = kv;
    this.#includesDemo = options.demoModel;
    this.#refresh = options.refresh ?? (() => Promise.resolve());
  }

  async get(
    vendor: ProviderId,
    model: string,
    reader?: KvReader,
  ): Promise<CatalogueEntry | undefined> {
    const entries = await this.list(reader);
    return entries.find((entry) => entry.vendor === vendor && entry.model === model);
  }

  async list(reader: KvReader = this.#kv): Promise<readonly CatalogueEntry[]> {
    const { versionstamp } = await reader.get(keys.catalogueVersion());
    if (this.#cached?.versionstamp !== versionstamp || this.#cached === undefined) {
      await this.#refresh();
      // Entries read after their version are of that version or newer, and then the version is too.
      this.#cached = { versionstamp, entries: await this.#readAll() };
    }
    return this.#cached.entries;
  }

  async #readAll(): Promise<CatalogueEntry[]> {
    const entries = this.#includesDemo ? PROVIDER_IDS.map(demoEntry) : [];
    for await (const row of this.#kv.list({ prefix: keys.catalogueEntries() })) {
      const entry = toEntry(row);
      if (entry) entries.push(entry);
    }
    return entries;
  }

  /** The stored entries alone: those an operator may change. */
  async listStored(): Promise<CatalogueEntry[]> {
    const rows = await Array.fromAsync(this.#kv.list({ prefix: keys.catalogueEntries() }));
    return rows.map(toEntry).filter((entry) => entry !== undefined);
  }

  /** Adds an entry, or replaces the one of the same vendor and model, from the next message on. */
  async set(entry: CatalogueEntry, runtime: Pick<Runtime, "now" | "uuid">): Promise<void> {
    const key = keys.catalogueEntry(entry.vendor, entry.model);
    await retryUntilCommitted(async () => {
      const current = await this.#kv.get(key);
      const before = toEntry(current);
      const step = this.#kv.atomic().check(current).set(key, { v: 1, ...entry });
      this.#record(step, runtime, { before, after: entry });
      return (await step.commit()).ok || undefined;
    }, { what: "catalogue" });
  }

  /** Removes an entry: agents that name the model are refused from then on. False when it is gone. */
  async remove(
    vendor: ProviderId,
    model: string,
    runtime: Pick<Runtime, "now" | "uuid">,
  ): Promise<boolean> {
    const current = await this.#kv.get(keys.catalogueEntry(vendor, model));
    const before = toEntry(current);
    if (before === undefined) return false;
    const step = this.#kv.atomic().check(current).delete(current.key);
    this.#record(step, runtime, { before });
    return (await step.commit()).ok || await this.remove(vendor, model, runtime);
  }

  #record(
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

  /** Adds entries at start; one that exists is left as the dashboard's edits made it. */
  async addMissing(entries: readonly CatalogueEntry[]): Promise<void> {
    if (entries.length === 0) return;
    const stored = new Set(
      (await this.listStored()).map(({ vendor, model }) => `${vendor}/${model}`),
    );
    for (const entry of entries) {
      if (stored.has(`${entry.vendor}/${entry.model}`)) continue;
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

function demoEntry(vendor: ProviderId): CatalogueEntry {
  return {
    vendor,
    model: DEMO_MODEL,
    inputUsdPerMTok: 0,
    outputUsdPerMTok: 0,
    contextTokens: 128_000,
    maxOutputTokens: 4_096,
  };
}
