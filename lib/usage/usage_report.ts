import { currentLedger, dayOf, type Ledger, slotsOf, untilMidnight } from "../limits/ledger.ts";
import { type Limits, withOverrides } from "../limits/limits.ts";
import { keys } from "../storage/keys.ts";
import { parseRecord } from "../storage/record.ts";
import type { TenantStore } from "../storage/tenant_store.ts";
import { iso, type System } from "../system.ts";
import type { UsageReport } from "../wire/usage.ts";
import type { Vendor } from "../wire/vendors.ts";
import { addDays, type DayRange } from "./day_range.ts";
import { NO_USAGE, sumUsage, type Usage, usageRowSchema } from "./usage_rows.ts";

/** One row of usage as it is read: what one agent used of one model on one day. */
interface ReadUsage extends Usage {
  day: string;
  agentId: string;
  model: string;
}

/** What tenants have used, read from the sums that settling keeps. */
export class UsageReports {
  #kv: Deno.Kv;
  #system: System;
  #tenants: TenantStore;
  #limits: Limits;

  constructor(
    kv: Deno.Kv,
    parts: { system: System; tenants: TenantStore; limits: Limits },
  ) {
    this.#kv = kv;
    this.#system = parts.system;
    this.#tenants = parts.tenants;
    this.#limits = parts.limits;
  }

  /** Today's consumption against the limits, and the days of `range` in sums. */
  async read(tenant: string, range: DayRange): Promise<UsageReport> {
    const now = this.#system.now();
    const day = dayOf(now);
    const limits = withOverrides(this.#limits, (await this.#tenants.plan(tenant)).limits);
    const [stored, rows, todays] = await Promise.all([
      this.#kv.get<Ledger>(keys.tenantLedger(tenant)),
      this.#rows(tenant, range),
      this.#rows(tenant, { from: day, to: day }),
    ]);
    const moment = { now, period: day };
    const ledger = currentLedger(stored.value ?? undefined, moment);
    return {
      day,
      resetsAt: iso(now + untilMidnight(now)),
      ...told(todays.reduce(sumUsage, NO_USAGE)),
      softLimitUsd: limits.softDailyCost / 1_000_000,
      hardLimitUsd: limits.hardDailyCost / 1_000_000,
      activeStreams: slotsOf(ledger, moment),
      maxStreams: limits.streams,
      days: sums(rows, (row) => row.day)
        .sort((a, b) => a.name < b.name ? -1 : 1)
        .map(({ name, usage }) => ({ day: name, ...told(usage) })),
      byAgent: dearestFirst(sums(rows, (row) => row.agentId))
        .map(({ name, usage }) => ({ agentId: name, ...told(usage) })),
      byModel: dearestFirst(sums(rows, (row) => row.model))
        .map(({ name, usage }) => ({ ...splitModel(name), ...told(usage) })),
    };
  }

  async #rows(tenant: string, { from, to }: DayRange): Promise<ReadUsage[]> {
    const selector = {
      start: keys.usageDay(tenant, from),
      end: keys.usageDay(tenant, addDays(to, 1)),
    };
    const rows: ReadUsage[] = [];
    for await (const entry of this.#kv.list(selector, { batchSize: 500 })) {
      const row = parseRecord(usageRowSchema, entry);
      const [, , day, agentId] = entry.key.map(String);
      for (const [model, usage] of Object.entries(row?.models ?? {})) {
        rows.push({ day: day!, agentId: agentId!, model, ...usage });
      }
    }
    return rows;
  }
}

interface Sum {
  name: string;
  usage: Usage;
}

function sums(rows: readonly ReadUsage[], nameOf: (row: ReadUsage) => string): Sum[] {
  return [...Map.groupBy(rows, nameOf)]
    .map(([name, group]) => ({ name, usage: group.reduce<Usage>(sumUsage, NO_USAGE) }));
}

function dearestFirst(all: Sum[]): Sum[] {
  return all.sort((a, b) =>
    b.usage.cost - a.usage.cost || b.usage.runs - a.usage.runs || (a.name < b.name ? -1 : 1)
  );
}

/** `provider/model`; a model's name may have slashes of its own. */
function splitModel(name: string): { provider: Vendor; model: string } {
  const at = name.indexOf("/");
  return { provider: name.slice(0, at) as Vendor, model: name.slice(at + 1) };
}

/** Every run is one message. */
function told({ runs, inputTokens, outputTokens, cost }: Usage) {
  return { costUsd: cost / 1_000_000, runs, messages: runs, inputTokens, outputTokens };
}
