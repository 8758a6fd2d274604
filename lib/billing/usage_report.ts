import { createSnapshot, mergeShards } from "./ledger_division.ts";
import { countSlots, dayOf, type Ledger, untilMidnight } from "./ledger.ts";
import { ledgerShardKeys } from "./ledger_shards.ts";
import { type Limits, withOverrides } from "./limits.ts";
import type { TenantStore } from "../store/tenants/tenant_store.ts";
import { isoTime, type Runtime } from "../platform/runtime.ts";
import type { UsageReport } from "../schemas/usage.ts";
import type { ProviderId } from "../schemas/provider_id.ts";
import type { DayRange } from "../schemas/day_range.ts";
import type { StorageReports } from "./storage_report.ts";
import { UsageAggregator } from "./usage_aggregator.ts";
import { NO_USAGE, type Usage } from "../store/runs/usage_rows.ts";
import { type GroupedUsage, sortByCost } from "./usage_totals.ts";

/** What a tenant has used and may use; money in micro-USD. */
export interface UsageSummary {
  /** Today, UTC. */
  day: string;
  /** When the day's cost begins at nothing again. */
  resetsAt: string;
  today: Usage;
  softLimit: number;
  hardLimit: number;
  activeStreams: number;
  maxStreams: number;
  /** Whether the tenant has ever been charged for anything, so that somebody has chatted. */
  hasRun: boolean;
  /** The days of the range, added up. */
  range: GroupedUsage;
}

/** What tenants have used, read from the sums that settling keeps. */
export class UsageReports {
  #kv: Deno.Kv;
  #runtime: Runtime;
  #tenants: TenantStore;
  #limits: Limits;
  #storage: Pick<StorageReports, "read">;
  #days: UsageAggregator;

  constructor(
    kv: Deno.Kv,
    parts: {
      runtime: Runtime;
      tenants: TenantStore;
      limits: Limits;
      storage: Pick<StorageReports, "read">;
    },
  ) {
    this.#kv = kv;
    this.#runtime = parts.runtime;
    this.#tenants = parts.tenants;
    this.#limits = parts.limits;
    this.#storage = parts.storage;
    this.#days = new UsageAggregator(kv);
  }

  /** Today's consumption against the limits, and the days of `range` in sums. */
  async summary(tenant: string, range: DayRange): Promise<UsageSummary> {
    const now = this.#runtime.now();
    const day = dayOf(now);
    const [plan, stored] = await Promise.all([
      this.#tenants.plan(tenant),
      this.#kv.getMany<Ledger[]>(ledgerShardKeys(tenant)),
    ]);
    const limits = withOverrides(this.#limits, plan.limits);
    const at = { today: day, ledger: stored };
    const sums = await this.#days.totals(tenant, { range, ...at });
    const isIn = range.from <= day && day <= range.to;
    const todays = isIn
      ? sums
      : await this.#days.totals(tenant, { range: { from: day, to: day }, ...at });
    const shards = stored.map(({ value }) => value ?? undefined);
    const snapshot = createSnapshot(undefined, shards, now);
    const { moment } = snapshot;
    const ledger = mergeShards(snapshot);
    return {
      day,
      resetsAt: isoTime(now + untilMidnight(now)),
      today: todays.day.get(day) ?? NO_USAGE,
      softLimit: limits.softDailyCost,
      hardLimit: limits.hardDailyCost,
      activeStreams: countSlots(ledger, moment),
      maxStreams: limits.streams,
      hasRun: stored.some(({ versionstamp }) => versionstamp !== null),
      range: sums,
    };
  }

  /** The same, as the API tells it. */
  async read(tenant: string, range: DayRange): Promise<UsageReport> {
    const [summary, storage] = await Promise.all([
      this.summary(tenant, range),
      this.#storage.read(tenant),
    ]);
    const { today, softLimit, hardLimit, range: sums, hasRun: _hasRun, ...now } = summary;
    return {
      ...now,
      ...toReported(today),
      softLimitUsd: softLimit / 1_000_000,
      hardLimitUsd: hardLimit / 1_000_000,
      days: [...sums.day].map(([day, usage]) => ({ day, ...toReported(usage) })),
      byAgent: sortByCost(sums.agent).map(([agentId, usage]) => ({
        agentId,
        ...toReported(usage),
      })),
      byModel: sortByCost(sums.model)
        .map(([name, usage]) => ({ ...splitModel(name), ...toReported(usage) })),
      storage,
    };
  }
}

/** `provider/model`; a model's name may have slashes of its own. */
export function splitModel(name: string): { provider: ProviderId; model: string } {
  const at = name.indexOf("/");
  return { provider: name.slice(0, at) as ProviderId, model: name.slice(at + 1) };
}

/** Every run is one message. */
function toReported({ runs, inputTokens, outputTokens, cost }: Usage) {
  return { costUsd: cost / 1_000_000, runs, messages: runs, inputTokens, outputTokens };
}
