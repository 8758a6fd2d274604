import { LRUCache } from "lru-cache";
import { ClosedUsageDays } from "./closed_usage_days.ts";
import type { Ledger } from "./ledger.ts";
import { keys } from "../store/keys/keys.ts";
import { parseRecord } from "../store/values/record.ts";
import { addDays, type DayRange } from "../schemas/day_range.ts";
import { usageRowSchema } from "../store/runs/usage_rows.ts";
import {
  addTotals,
  addUsageRow,
  countTotals,
  emptyTotals,
  type GroupedUsage,
} from "./usage_totals.ts";

/** Cached totals of all tenants, about 150 bytes each. */
const MAX_CACHED_TOTALS = 200_000;

/** A run is settled into the day it ends on or the next; one more, because clocks differ at midnight. */
const OPEN_DAYS = 2;

interface CachedTotals {
  totals: GroupedUsage;
  /** Versions of the tenant's ledger when the totals were read, if they may still change. */
  stamp?: string;
}

/** The days of a query, and what tells whether cached totals still hold. */
export interface UsageDays {
  range: DayRange;
  today: string;
  /** All its shards, read before: a settlement after that makes the totals stale. */
  ledger: readonly Deno.KvEntryMaybe<Ledger>[];
}

/** What was used on one day, UTC. */
export interface DayTotals {
  day: string;
  totals: GroupedUsage;
}

/**
 * Totals of usage by range, exact whatever other processes settle: days long past never change, and
 * every settlement writes the tenant's ledger, whose versions validate the cache for recent days. Rows
 * are added up while they are read, so a year's range takes the memory of its totals, not of its rows.
 */
export class UsageAggregator {
  readonly #kv: Deno.Kv;
  readonly #closed: ClosedUsageDays;
  /** By tenant and days. An empty day counts as one total. */
  readonly #cache: LRUCache<string, CachedTotals>;

  constructor(kv: Deno.Kv, { maxCached = MAX_CACHED_TOTALS }: { maxCached?: number } = {}) {
    this.#kv = kv;
    this.#closed = new ClosedUsageDays(kv);
    const sizeCalculation = ({ totals }: CachedTotals) => 1 + countTotals(totals);
    this.#cache = new LRUCache({ maxSize: maxCached, sizeCalculation });
  }

  /** What `tenant` used on the days of `range`. The result is cached: callers must not change it. */
  async totals(tenant: string, query: UsageDays): Promise<GroupedUsage> {
    const { range, today } = query;
    const stamp = stampOf(query.ledger);
    const key = `${tenant} ${range.from} ${range.to} ${today}`;
    const cached = this.#cache.get(key);
    if (cached !== undefined && cached.stamp === stamp) return cached.totals;
    const totals = emptyTotals();
    for (const { totals: ofDay } of await this.daily(tenant, query)) addTotals(totals, ofDay);
    this.#cache.set(key, { totals, stamp });
    return totals;
  }

  /** Like `totals`, each day by itself: the days of `range` until today, in order. */
  async daily(tenant: string, { range, today, ledger }: UsageDays): Promise<DayTotals[]> {
    const firstOpenDay = addDays(today, -OPEN_DAYS);
    const lastClosedDay = addDays(firstOpenDay, -1);
    const to = range.to < lastClosedDay ? range.to : lastClosedDay;
    const days = await this.#closedDays(tenant, { from: range.from, to });
    const from = range.from > firstOpenDay ? range.from : firstOpenDay;
    for (let day = from; day <= range.to && day <= today; day = addDays(day, 1)) {
      days.push({ day, totals: await this.#dayTotals(tenant, day, stampOf(ledger)) });
    }
    return days;
  }

  /** The days of a range that cannot change any more. */
  async #closedDays(tenant: string, { from, to }: DayRange): Promise<DayTotals[]> {
    const days: string[] = [];
    for (let day = from; day <= to; day = addDays(day, 1)) days.push(day);
    const known = new Map(days.map((day) => [day, this.#closedInCache(tenant, day)]));
    const missing = days.filter((day) => known.get(day) === undefined);
    if (missing.length > 0) {
      const read = await this.#closed.read(tenant, { from: missing[0]!, to: missing.at(-1)! });
      for (const day of missing) {
        const totals = read.get(day) ?? emptyTotals();
        known.set(day, totals);
        this.#cache.set(`${tenant} ${day}`, { totals });
      }
    }
    return days.map((day) => ({ day, totals: known.get(day)! }));
  }

  #closedInCache(tenant: string, day: string): GroupedUsage | undefined {
    const cached = this.#cache.get(`${tenant} ${day}`);
    // One that was read while the day could change has a stamp.
    return cached?.stamp === undefined ? cached?.totals : undefined;
  }

  async #dayTotals(tenant: string, day: string, stamp: string): Promise<GroupedUsage> {
    const key = `${tenant} ${day}`;
    const cached = this.#cache.get(key);
    if (cached !== undefined && cached.stamp === stamp) return cached.totals;
    const totals = await this.#read(tenant, day);
    this.#cache.set(key, { totals, stamp });
    return totals;
  }

  async #read(tenant: string, day: string): Promise<GroupedUsage> {
    const totals = emptyTotals();
    const prefix = keys.usageDay(tenant, day);
    for await (const entry of this.#kv.list({ prefix }, { batchSize: 500 })) {
      const { models } = parseRecord(usageRowSchema, entry)!;
      const [agentId, source] = entry.key.slice(prefix.length).map(String) as [string, string];
      addUsageRow(totals, { day, agentId, source, models });
    }
    return totals;
  }
}

function stampOf(ledger: UsageDays["ledger"]): string {
  return ledger.map(({ versionstamp }) => versionstamp).join(" ");
}
