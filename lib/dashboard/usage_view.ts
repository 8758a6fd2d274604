import type { AgentService } from "../services/agent_service.ts";
import type { ApiKeyStore } from "../store/credentials/api_key_store.ts";
import { NO_USAGE, PLAYGROUND, SESSIONS, type Usage } from "../store/runs/usage_rows.ts";
import {
  type GroupedUsage,
  sortByCost,
  USAGE_GROUPS,
  type UsageGroup,
} from "../billing/usage_totals.ts";
import { loadAgentNames } from "./agents/agent_names.ts";
import { ApiError } from "../schemas/api_error.ts";
import { type DayRange, daysOf, parseDayRange } from "../schemas/day_range.ts";

export interface NamedUsage {
  /** A day, an agent's id, a `provider/model`, a key's id or `sessions`. */
  id: string;
  name: string;
  usage: Usage;
}

/** Adds names to sums of one group, sorted by latest day or highest cost. */
export async function withUsageNames(
  { sums, by, max = Infinity }: { sums: GroupedUsage; by: UsageGroup; max?: number },
  of: { tenant: string; agents: Pick<AgentService, "get">; apiKeys: Pick<ApiKeyStore, "list"> },
): Promise<NamedUsage[]> {
  const all = by === "day" ? [...sums.day].reverse() : sortByCost(sums[by]);
  const shown = all.slice(0, max);
  const names = await loadNames(by, { ids: shown.map(([id]) => id), ...of });
  return shown.map(([id, usage]) => ({ id, name: names.get(id) ?? id, usage }));
}

async function loadNames(
  by: UsageGroup,
  { ids, tenant, agents, apiKeys }: { ids: string[] } & Parameters<typeof withUsageNames>[1],
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

export interface UsageQuery {
  range: DayRange;
  by: UsageGroup;
  /** Why the requested days are invalid; the last 30 are shown instead. */
  issue?: string;
}

/** Reads `?from&to&by`; invalid values are replaced by defaults. */
export function readUsageQuery({ searchParams }: URL, today: string): UsageQuery {
  const by = USAGE_GROUPS.find((group) => group === searchParams.get("by")) ?? "day";
  const days = { from: searchParams.get("from") || null, to: searchParams.get("to") || null };
  try {
    return { range: parseDayRange(days, today), by };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const range = parseDayRange({ from: null, to: null }, today);
    return { range, by, issue: "Enter a start and an end date, at most one year apart." };
  }
}

/** Usage of each day of a range, including days without any. */
export function dailyUsage({ day: byDay }: GroupedUsage, range: DayRange) {
  return daysOf(range).map((day) => ({ day, usage: byDay.get(day) ?? NO_USAGE }));
}
