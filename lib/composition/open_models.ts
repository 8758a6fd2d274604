import { ModelAccess } from "../admin/model_access.ts";
import { ModelRegistry } from "../models/model_registry.ts";
import { type CatalogueEntry, CatalogueStore } from "../storage/catalogue_store.ts";
import { SLOTS_PURPOSE, VendorSlotStore } from "../storage/vendor_slot_store.ts";
import type { Basis } from "./basis.ts";

/** Vendors, the models they offer, and who may use which. */
export interface Models {
  registry: ModelRegistry;
  vendorSlots: VendorSlotStore;
  catalogue: CatalogueStore;
  access: ModelAccess;
}

/** Adds `entries` to the catalogue, and has it and the vendor slots in memory before anybody asks. */
export async function openModels(
  { config, kv, system, log, sealer, tenants }: Basis,
  entries: readonly CatalogueEntry[],
): Promise<Models> {
  const registry = new ModelRegistry(system, {
    vendors: config.vendors,
    report: (event) => log.warn("a model vendor failed", { ...event }),
  });
  const vendorSlots = new VendorSlotStore(kv, { system, sealer: sealer(SLOTS_PURPOSE) });
  const setUpSlots = async () => {
    const { slots, unreadable } = await vendorSlots.open();
    for (const vendor of unreadable) log.error("a vendor's credential does not open", { vendor });
    registry.configure(slots);
  };
  const catalogue = new CatalogueStore(kv, { demoModel: config.demoModel, refresh: setUpSlots });
  await catalogue.addMissing(entries);
  await catalogue.list();
  return { registry, vendorSlots, catalogue, access: new ModelAccess({ catalogue, tenants }) };
}
