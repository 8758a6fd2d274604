import type { KvReader } from "../store/tx/read_transaction.ts";
import type { CatalogueEntry, CatalogueStore } from "../store/providers/catalogue_store.ts";
import type { Plan, TenantStore } from "../store/tenants/tenant_store.ts";
import type { ValidationIssue } from "../schemas/error_codes.ts";
import type { ProviderId } from "../schemas/provider_id.ts";

/** A model as request bodies name it. */
export type ModelName = { provider: ProviderId; model: string };

/** Decides which of the operator's models a tenant's plan includes. */
export class ModelAccess {
  readonly #stores: { catalogue: CatalogueStore; tenants: TenantStore };

  constructor(stores: { catalogue: CatalogueStore; tenants: TenantStore }) {
    this.#stores = stores;
  }

  /** The catalogue entry; `undefined` if the plan or the catalogue does not include the model. */
  async find(
    tenant: string,
    name: ModelName,
    reader?: KvReader,
  ): Promise<CatalogueEntry | undefined> {
    const plan = await this.#stores.tenants.plan(tenant, reader);
    if (!planAllows(plan, name)) return undefined;
    return await this.#stores.catalogue.get(name.provider, name.model, reader);
  }

  /** What visitors of the tenant's widgets may override. */
  async visitorOverrides(tenant: string, reader?: KvReader): Promise<Plan["visitorOverrides"]> {
    return (await this.#stores.tenants.plan(tenant, reader)).visitorOverrides;
  }

  async issues(tenant: string, name: ModelName, path: string): Promise<ValidationIssue[]> {
    return await this.find(tenant, name) === undefined ? [modelNotInPlan(name, path)] : [];
  }
}

export function modelNotInPlan(name: ModelName, path: string): ValidationIssue {
  const message = `${name.provider} has no model ${JSON.stringify(name.model)} in your plan`;
  return { path, code: "model_not_in_plan", message };
}

export function planAllows(plan: Plan, name: ModelName): boolean {
  if (plan.models === "all") return true;
  return plan.models.some((m) => m.vendor === name.provider && m.model === name.model);
}
