import type { Service } from "../../http/service.ts";
import { toUsd } from "../../billing/micro_usd.ts";
import { withOverrides } from "../../billing/limits.ts";
import { MAX_QUOTAS } from "../../schemas/limits.ts";
import type { AgentChoice } from "./tool_draft.ts";
import { loadModelGroups, type ModelGroup } from "../models/model_groups.ts";

/** Older ones are chosen by their ids. */
const MAX_LISTED_AGENTS = 100;

export interface EditorChoices {
  models: ModelGroup[];
  knowledgeBases: { id: string; name: string }[];
  hardDailyUsd: number;
  /** The plan's retention of conversations. */
  conversationDays: number;
  /** Agents that a tool may ask; only on the page of the tools. */
  agents?: AgentChoice[];
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

/** The newest agents of the tenant but the edited one. */
export async function loadAgentChoices(
  service: Pick<Service, "agents">,
  { tenant, id }: { tenant: string; id?: string },
): Promise<AgentChoice[]> {
  const { data } = await service.agents.list(tenant, { limit: MAX_LISTED_AGENTS });
  return data.filter((agent) => agent.id !== id).map(({ id, name }) => ({ id, name }));
}
