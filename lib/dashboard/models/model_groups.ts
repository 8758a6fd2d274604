import type { Service } from "../../http/service.ts";
import type { CatalogueEntry } from "../../store/providers/catalogue_store.ts";
import { PROVIDER_IDS, type ProviderId } from "../../schemas/provider_id.ts";

/** The models of a tenant's plan, grouped by provider. */
export async function loadModelGroups(
  service: Pick<Service, "catalogue" | "tenants" | "providers">,
  tenant: string,
): Promise<{ label: string; models: CatalogueEntry[] }[]> {
  const { models: allowed } = await service.tenants.plan(tenant);
  const entries = (await service.catalogue.list()).filter((entry) =>
    allowed === "all" ||
    allowed.some(({ vendor, model }) => vendor === entry.vendor && model === entry.model)
  );
  return PROVIDER_IDS.map((vendor) => ({
    label: service.providers.connection(vendor)?.name ?? defaultProviderLabel(vendor),
    models: entries.filter((entry) => entry.vendor === vendor),
  })).filter((group) => group.models.length > 0);
}

/** `vendor_a` as "Provider A". */
export function defaultProviderLabel(vendor: ProviderId): string {
  return `Provider ${vendor.slice(-1).toUpperCase()}`;
}
