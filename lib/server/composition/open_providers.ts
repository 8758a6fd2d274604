import { ModelAccess } from "../../billing/model_access.ts";
import { ModelRegistry } from "../../providers/model_registry.ts";
import {
  type CatalogueEntry,
  catalogueEntrySchema,
  CatalogueStore,
} from "../../store/providers/catalogue_store.ts";
import { CONNECTIONS_PURPOSE, ConnectionStore } from "../../store/providers/connection_store.ts";
import type { CoreDeps } from "./core_deps.ts";
import { z } from "zod";

/** Vendors, the models they offer, and who may use which. */
export interface ProviderServices {
  registry: ModelRegistry;
  connections: ConnectionStore;
  catalogue: CatalogueStore;
  access: ModelAccess;
}

/** Adds `entries` to the catalogue, and has it and the vendor slots in memory before anybody asks. */
export async function openProviders(
  { config, kv, runtime, log, sealer, tenants }: CoreDeps,
  entries: readonly CatalogueEntry[],
): Promise<ProviderServices> {
  const registry = new ModelRegistry(runtime, {
    providers: config.connections,
    onFailure: (event) => log.warn("a model vendor failed", { ...event }),
  });
  const vendorSlots = new ConnectionStore(kv, { runtime, sealer: sealer(CONNECTIONS_PURPOSE) });
  const setUpSlots = async () => {
    const { connections, unreadable } = await vendorSlots.unsealAll();
    for (const vendor of unreadable) log.error("a vendor's credential does not open", { vendor });
    registry.configure(connections);
  };
  const catalogue = new CatalogueStore(kv, { demoModel: config.demoModel, refresh: setUpSlots });
  await catalogue.addMissing(entries);
  await catalogue.list();
  return {
    registry,
    connections: vendorSlots,
    catalogue,
    access: new ModelAccess({ catalogue, tenants }),
  };
}

/** A catalogue file that cannot be used; the message says where and why. */
export class CatalogueError extends Error {
  override name = "CatalogueError";
}

/** The entries of the `CATALOGUE` file; none when no file is configured. */
export async function readCatalogue(path: string | undefined): Promise<CatalogueEntry[]> {
  if (path === undefined) return [];
  const parsed = z.array(catalogueEntrySchema).safeParse(await readJson(path));
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((i) => `  ${i.path.join(".") || "file"}: ${i.message}`);
  throw new CatalogueError(`CATALOGUE ${path} is not usable:\n${faults.join("\n")}`);
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await Deno.readTextFile(path));
  } catch (error) {
    const why = error instanceof SyntaxError ? "is not JSON" : "cannot be read";
    throw new CatalogueError(`CATALOGUE ${path} ${why}`, { cause: error });
  }
}
