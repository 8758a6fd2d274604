import type { Service } from "../../http/service.ts";
import { planAllows } from "../../billing/model_access.ts";
import { ApiError } from "../../schemas/api_error.ts";
import { DEMO_MODEL } from "../../schemas/provider_id.ts";
import type { CatalogueEntry } from "../../store/providers/catalogue_store.ts";

/** Agents that the page offers; others change their model on their own page. */
const MAX_OFFERED = 20;

/** An agent that may use a new model. */
export interface AgentOffer {
  id: string;
  name: string;
  /** It has only the demo model so far. */
  isDemo: boolean;
}

/** The newest agents of the operator's own tenant, without the one of the demo page. */
export async function loadAgentOffers(
  { agents, demoAgent }: Pick<Service, "agents" | "demoAgent">,
  tenant: string,
): Promise<AgentOffer[]> {
  const { data } = await agents.list(tenant, { limit: MAX_OFFERED });
  return data.filter(({ id }) => id !== demoAgent?.id).map(({ id, name, modelPolicy }) => ({
    id,
    name,
    isDemo: modelPolicy.model === DEMO_MODEL,
  }));
}

/** Adds models to the plan of the operator's own tenant, if it lists its models. */
export async function allowModels(
  { tenants }: Pick<Service, "tenants">,
  { tenant, entries }: { tenant: string; entries: readonly CatalogueEntry[] },
): Promise<void> {
  await tenants.changePlan(tenant, (plan) => {
    const missing = entries
      .filter(({ vendor, model }) => !planAllows(plan, { provider: vendor, model }))
      .map(({ vendor, model }) => ({ vendor, model }));
    if (plan.models === "all" || missing.length === 0) return plan;
    return { ...plan, models: [...plan.models, ...missing] };
  });
}

/** Gives agents the model, each as a new version; an agent that was deleted meanwhile is skipped. */
export async function useInAgents(
  { agents }: Pick<Service, "agents">,
  { tenant, ids, entry }: { tenant: string; ids: readonly string[]; entry: CatalogueEntry },
): Promise<void> {
  const modelPolicy = { provider: entry.vendor, model: entry.model };
  for (const id of ids) {
    try {
      await agents.patch(tenant, id, { patch: { modelPolicy } });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
    }
  }
}
