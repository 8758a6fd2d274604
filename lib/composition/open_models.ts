import { ModelAccess } from "../admin/model_access.ts";
import { ModelRegistry } from "../models/model_registry.ts";
import { type CatalogueEntry, CatalogueStore } from "../storage/catalogue_store.ts";
import { CONNECTIONS_PURPOSE, ConnectionStore } from "../storage/vendor_slot_store.ts";
import type { CoreDeps } from "./basis.ts";

/** Vendors, the models they offer, and who may use which. */
export interface ProviderServices {
  registry: ModelRegistry;
  connections: ConnectionStore;
  catalogue: CatalogueStore;
  access: ModelAccess;
}

/** Adds `entries` to the catalogue, and has it and the vendor slots in memory before anybody asks. */
export async function openProviders(
  { config, kv, system, log, sealer, tenants }: CoreDeps,
  entries: readonly CatalogueEntry[],
): Promise<ProviderServices> {
  const registry = new ModelRegistry(system, {
    providers: config.connections,
    onFailure: (event) => log.warn("a model vendor failed", { ...event }),
  });
  const vendorSlots = new ConnectionStore(kv, { system, sealer: sealer(CONNECTIONS_PURPOSE) });
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
