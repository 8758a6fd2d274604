import type { Service } from "../../http/service.ts";
import type { CatalogueEntry } from "../../store/providers/catalogue_store.ts";
import { planAllows } from "../../billing/model_access.ts";
import { DEMO_MODEL, PROVIDER_IDS, type ProviderId } from "../../schemas/provider_id.ts";
import { t } from "../texts/translate.ts";

/** Models of one provider, as a picker groups them. */
export interface ModelGroup {
  label: string;
  models: CatalogueEntry[];
}

/** The models that a tenant can use now: those of its plan whose provider is connected, and the demo once. */
export async function loadModelGroups(
  service: Pick<Service, "catalogue" | "tenants" | "providers">,
  tenant: string,
): Promise<ModelGroup[]> {
  const plan = await service.tenants.plan(tenant);
  const allowed = (await service.catalogue.list())
    .filter(({ vendor, model }) => planAllows(plan, { provider: vendor, model }));
  const demo = allowed.filter(({ model }) => model === DEMO_MODEL).slice(0, 1);
  const groups = PROVIDER_IDS.map((vendor): ModelGroup => {
    const connection = service.providers.connection(vendor);
    const models = allowed.filter((one) => one.vendor === vendor && one.model !== DEMO_MODEL);
    const label = connection?.name ?? defaultProviderLabel(vendor);
    return { label, models: connection === undefined ? [] : models };
  });
  return [...groups, { label: t("Built in"), models: demo }]
    .filter(({ models }) => models.length > 0);
}

/** `vendor_a` as "Provider A". */
export function defaultProviderLabel(vendor: ProviderId): string {
  return t("Provider {letter}", { letter: vendor.slice(-1).toUpperCase() });
}
