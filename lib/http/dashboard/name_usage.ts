import type { AgentService } from "../../admin/agent_admin.ts";
import type { ApiKeyStore } from "../../storage/api_key_store.ts";
import { PLAYGROUND, SESSIONS, type Usage } from "../../usage/usage_rows.ts";
import { type GroupedUsage, sortByCost, type UsageGroup } from "../../usage/usage_sums.ts";
import { loadAgentNames } from "./agent_names.ts";

/** One sum with the name that people know it by. */
export interface NamedUsage {
  /** A day, an agent's id, a `provider/model`, a key's id or `sessions`. */
  id: string;
  name: string;
  usage: Usage;
}

/** Sums of one kind with their names: days the latest first, all else the dearest first. */
export async function withUsageNames(
  { sums, by, most = Infinity }: { sums: GroupedUsage; by: UsageGroup; most?: number },
  of: {
    tenant: string;
    agents: Pick<AgentService, "get">;
    apiKeys: Pick<ApiKeyStore, "list">;
  },
): Promise<NamedUsage[]> {
  const all = by === "day" ? [...sums.day].reverse() : sortByCost(sums[by]);
  const shown = all.slice(0, most);
  const names = await loadNames(by, { ids: shown.map(([id]) => id), ...of });
  return shown.map(([id, usage]) => ({ id, name: names.get(id) ?? id, usage }));
}

async function loadNames(
  by: UsageGroup,
  { ids, tenant, agents, apiKeys }:
    & { ids: string[] }
    & Parameters<typeof withUsageNames>[1],
): Promise<Map<string, string>> {
  switch (by) {
    case "day":
    case "model":
      return new Map();
    case "agent":
      return await loadAgentNames(ids, { tenant, agents });
    case "key": {
      const known = (await apiKeys.list(tenant)).map(({ id, name }) => [id, name] as const);
      return new Map([...known, [SESSIONS, "Widget sessions"], [PLAYGROUND, "Playground"]]);
    }
    default:
      return by satisfies never;
  }
}
