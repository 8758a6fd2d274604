import type { Service } from "../../http/service.ts";
import { toUsd } from "../../billing/micro_usd.ts";
import { withOverrides } from "../../billing/limits.ts";
import { MAX_QUOTAS } from "../../schemas/limits.ts";
import { loadModelGroups, type ModelGroup } from "../models/model_groups.ts";

export interface EditorChoices {
  models: ModelGroup[];
  knowledgeBases: { id: string; name: string }[];
  hardDailyUsd: number;
  /** The plan's retention of conversations. */
  conversationDays: number;
}

export async function loadEditorChoices(
  service: Pick<Service, "catalogue" | "knowledge" | "tenants" | "rateLimiterDeps" | "providers">,
  tenant: string,
): Promise<EditorChoices> {
  const plan = await service.tenants.plan(tenant);
  const bases = await service.knowledge.list(tenant, { limit: MAX_QUOTAS.knowledgeBases });
  const { hardDailyCost } = withOverrides(service.rateLimiterDeps.limits, plan.limits);
  return {
    models: await loadModelGroups(service, tenant),
    knowledgeBases: bases.data.map(({ id, name }) => ({ id, name })),
    hardDailyUsd: toUsd(hardDailyCost),
    conversationDays: plan.conversationDays,
  };
}
