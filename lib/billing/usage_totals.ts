import {
  NO_USAGE,
  splitUsageSource,
  sumUsage,
  type Usage,
  type UsageRow,
} from "../store/runs/usage_rows.ts";

/** Usage by name: a day, an agent's id, a `provider/model`, a key's id or a protocol. */
export type UsageTotals = Map<string, Usage>;

export const USAGE_GROUPS = ["day", "agent", "model", "key", "protocol"] as const;
export type UsageGroup = typeof USAGE_GROUPS[number];

/** Usage of some days, added up by each group. */
export type GroupedUsage = Record<UsageGroup, UsageTotals>;

export function emptyTotals(): GroupedUsage {
  return {
    ...{ day: new Map(), agent: new Map(), model: new Map() },
    ...{ key: new Map(), protocol: new Map() },
  };
}

export function addUsageRow(
  to: GroupedUsage,
  row: { day: string; agentId: string; source: string; models: UsageRow["models"] },
): void {
  const { caller, protocol } = splitUsageSource(row.source);
  for (const [model, usage] of Object.entries(row.models)) {
    add(to.day, row.day, usage);
    add(to.agent, row.agentId, usage);
    add(to.model, model, usage);
    add(to.key, caller, usage);
    add(to.protocol, protocol, usage);
  }
}

export function addTotals(to: GroupedUsage, from: GroupedUsage): void {
  for (const group of USAGE_GROUPS) {
    for (const [name, usage] of from[group]) add(to[group], name, usage);
  }
}

/** The number of totals, as a measure of their memory. */
export function countTotals(sums: GroupedUsage): number {
  return USAGE_GROUPS.reduce((size, group) => size + sums[group].size, 0);
}

export function sumTotals(sums: UsageTotals): Usage {
  return [...sums.values()].reduce(sumUsage, NO_USAGE);
}

/** Highest cost first, then most runs. */
export function sortByCost(sums: UsageTotals): [name: string, usage: Usage][] {
  return sortByValue(sums, ({ cost }) => cost);
}

/** Highest value first, then most runs. */
export function sortByValue(
  sums: UsageTotals,
  value: (usage: Usage) => number,
): [name: string, usage: Usage][] {
  return [...sums].sort(([a, one], [b, other]) =>
    value(other) - value(one) || other.runs - one.runs || (a < b ? -1 : 1)
  );
}

function add(sums: UsageTotals, name: string, usage: Usage): void {
  const before = sums.get(name);
  sums.set(name, before === undefined ? usage : sumUsage(before, usage));
}
