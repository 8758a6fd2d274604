import type { ModelRegistry } from "../../providers/model_registry.ts";
import type { AgentService } from "../../services/agent_service.ts";
import type { ApiKeyStore } from "../../store/credentials/api_key_store.ts";
import { PLAYGROUND, SESSIONS, type Usage } from "../../store/runs/usage_rows.ts";
import { type GroupedUsage, sortByValue, type UsageGroup } from "../../billing/usage_totals.ts";
import { splitModel } from "../../billing/usage_report.ts";
import { loadAgentNames } from "../agents/agent_names.ts";
import { defaultProviderLabel } from "../models/model_groups.ts";
import { METRICS, type UsageMetric } from "./usage_metrics.ts";
import { PROTOCOL_LABELS } from "../protocol_labels.ts";
import { t } from "../texts/translate.ts";

export interface NamedUsage {
  /** A day, an agent's id, a `provider/model`, a key's id or `sessions`, or a protocol. */
  id: string;
  name: string;
  usage: Usage;
}

export interface UsageNameDeps {
  agents: Pick<AgentService, "get">;
  apiKeys: Pick<ApiKeyStore, "list">;
  providers: Pick<ModelRegistry, "connection">;
}

/** Adds names to sums of one group, sorted by latest day or by the highest value of `metric`. */
export async function withUsageNames(
  { sums, by, metric = "cost", max = Infinity }: {
    sums: GroupedUsage;
    by: UsageGroup;
    metric?: UsageMetric;
    max?: number;
  },
  of: UsageNameDeps & { tenant: string },
): Promise<NamedUsage[]> {
  const { value } = METRICS[metric];
  const all = by === "day" ? [...sums.day].reverse() : sortByValue(sums[by], value);
  const shown = all.slice(0, max);
  const names = await loadNames(by, { ids: shown.map(([id]) => id), ...of });
  return shown.map(([id, usage]) => ({ id, name: names.get(id) ?? id, usage }));
}

async function loadNames(
  by: UsageGroup,
  { ids, tenant, agents, apiKeys, providers }:
    & { ids: string[]; tenant: string }
    & UsageNameDeps,
): Promise<Map<string, string>> {
  switch (by) {
    case "day":
      return new Map();
    case "model":
      return new Map(ids.map((id) => {
        const { provider, model } = splitModel(id);
        return [
          id,
          `${model} (${providers.connection(provider)?.name ?? defaultProviderLabel(provider)})`,
        ];
      }));
    case "protocol":
      return new Map(Object.entries(PROTOCOL_LABELS).map(([id, label]) => [id, t(label)]));
    case "agent":
      return await loadAgentNames(ids, { tenant, agents });
    case "key": {
      const known = (await apiKeys.list(tenant)).map(({ id, name }) => [id, name] as const);
      return new Map([...known, [SESSIONS, t("Widget sessions")], [PLAYGROUND, t("Playground")]]);
    }
    default:
      return by satisfies never;
  }
}
