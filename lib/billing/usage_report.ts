import { toUsd } from "./micro_usd.ts";
import { createSnapshot, mergeShards } from "./ledger_division.ts";
import { countSlots, type Ledger } from "./ledger.ts";
import { dayOf, untilMidnight } from "../platform/utc_day.ts";
import { ledgerShardKeys } from "./ledger_shards.ts";
import { type Limits, withOverrides } from "./limits.ts";
import type { TenantStore } from "../store/tenants/tenant_store.ts";
import { isoTime, type Runtime } from "../platform/runtime.ts";
import type { UsageReport } from "../schemas/usage.ts";
import type { ProviderId } from "../schemas/provider_id.ts";
import type { ChatProtocol } from "../schemas/chat_protocol.ts";
import type { DayRange } from "../schemas/day_range.ts";
import type { StorageReports } from "./storage_report.ts";
import { type DayTotals, UsageAggregator, type UsageDays } from "./usage_aggregator.ts";
import { NO_USAGE, type Usage } from "../store/runs/usage_rows.ts";
import { type GroupedUsage, sortByCost } from "./usage_totals.ts";

/** A tenant's usage and limits; money in micro-USD. */
export interface UsageSummary {
  /** Today, UTC. */
  day: string;
  resetsAt: string;
  today: Usage;
  softLimit: number;
  hardLimit: number;
  activeStreams: number;
  maxStreams: number;
  /** True if the tenant was ever charged, so somebody has chatted. */
  hasRun: boolean;
  range: GroupedUsage;
}

export interface UsageReportDeps {
  runtime: Runtime;
  tenants: TenantStore;
  limits: Limits;
  storage: Pick<StorageReports, "read">;
}

/** Reports what tenants have used, from the usage rows that settlements write. */
export class UsageReports {
  readonly #kv: Deno.Kv;
  readonly #deps: UsageReportDeps;
  readonly #days: UsageAggregator;

  constructor(kv: Deno.Kv, deps: UsageReportDeps) {
    this.#kv = kv;
    this.#deps = deps;
    this.#days = new UsageAggregator(kv);
  }

  /** Today's usage against the limits, and totals for the days of `range`. */
  async summary(tenant: string, range: DayRange): Promise<UsageSummary> {
    const now = this.#deps.runtime.now();
    const day = dayOf(now);
    const [plan, stored] = await Promise.all([
      this.#deps.tenants.plan(tenant),
      this.#kv.getMany<Ledger[]>(ledgerShardKeys(tenant)),
    ]);
    const limits = withOverrides(this.#deps.limits, plan.limits);
    const at = { today: day, ledger: stored };
    const totals = await this.#days.totals(tenant, { range, ...at });
    const includesToday = range.from <= day && day <= range.to;
    const todays = includesToday
      ? totals
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
      range: totals,
    };
  }

  /** What was used on the days of `range` together. */
  async totals(tenant: string, range: DayRange): Promise<GroupedUsage> {
    return await this.#days.totals(tenant, await this.#daysOf(tenant, range));
  }

  /** What was used on each day of `range` until today. */
  async daily(tenant: string, range: DayRange): Promise<DayTotals[]> {
    return await this.#days.daily(tenant, await this.#daysOf(tenant, range));
  }

  async #daysOf(tenant: string, range: DayRange): Promise<UsageDays> {
    const today = dayOf(this.#deps.runtime.now());
    return { range, today, ledger: await this.#kv.getMany<Ledger[]>(ledgerShardKeys(tenant)) };
  }

  async read(tenant: string, range: DayRange): Promise<UsageReport> {
    const [summary, storage] = await Promise.all([
      this.summary(tenant, range),
      this.#deps.storage.read(tenant),
    ]);
    const { today, softLimit, hardLimit, range: totals, hasRun: _hasRun, ...now } = summary;
    return {
      ...now,
      ...toReported(today),
      softLimitUsd: softLimit / 1_000_000,
      hardLimitUsd: hardLimit / 1_000_000,
      days: [...totals.day].map(([day, usage]) => ({ day, ...toReported(usage) })),
      byAgent: sortByCost(totals.agent).map(([agentId, usage]) => ({
        agentId,
        ...toReported(usage),
      })),
      byModel: sortByCost(totals.model)
        .map(([name, usage]) => ({ ...splitModel(name), ...toReported(usage) })),
      byProtocol: sortByCost(totals.protocol)
        .map(([name, usage]) => ({ protocol: name as ChatProtocol, ...toReported(usage) })),
      storage,
    };
  }
}

/** Splits `provider/model`; model names may contain slashes. */
export function splitModel(name: string): { provider: ProviderId; model: string } {
  const at = name.indexOf("/");
  return { provider: name.slice(0, at) as ProviderId, model: name.slice(at + 1) };
}

/** Every run is one message. */
function toReported({ runs, failed: _failed, cost, cacheSavings, ...tokens }: Usage) {
  return {
    costUsd: toUsd(cost),
    ...{ runs, messages: runs, ...tokens },
    ...cacheSavings !== undefined && { cacheSavedUsd: toUsd(cacheSavings) },
  };
}
