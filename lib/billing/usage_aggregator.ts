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

/** Sums that are kept in memory, about 150 bytes each. */
const KEPT_SUMS = 200_000;

interface CachedTotals {
  sums: GroupedUsage;
  /** The tenant's ledger when they were read, where they may still change. */
  stamp?: string;
}

/** A run is settled into the day it ends on or the next; one more, because clocks differ at midnight. */
const OPEN_DAYS = 2;

/**
 * Sums of usage by range, exact whatever other processes settle: days long past never change again, and
 * for the latest the tenant's ledger tells, which every settlement of it writes. Rows are
 * added up as they are read, so a range of a year takes the memory of its sums, not of its rows.
 */
export class UsageAggregator {
  readonly #kv: Deno.Kv;
  readonly #room: number;
  /** By tenant and days; the least recently used first. */
  readonly #kept = new Map<string, CachedTotals>();
  #size = 0;

  constructor(kv: Deno.Kv, { room = KEPT_SUMS }: { room?: number } = {}) {
    this.#kv = kv;
    this.#room = room;
  }

  /** What `tenant` used in the days of `range`; never to be changed by who is told. */
  async totals(
    tenant: string,
    { range, today, ledger }: {
      range: DayRange;
      today: string;
      /** All its shards, read before: what was settled since is in the sums, and makes them stale at once. */
      ledger: readonly Deno.KvEntryMaybe<Ledger>[];
    },
  ): Promise<GroupedUsage> {
    const stamp = ledger.map(({ versionstamp }) => versionstamp).join(" ");
    const whole = `${tenant} ${range.from} ${range.to} ${today}`;
    const known = this.#find(whole);
    if (known !== undefined && known.stamp === stamp) return known.sums;
    const sums = emptyTotals();
    const open = addDays(today, -OPEN_DAYS);
    for (let day = range.from; day <= range.to && day <= today; day = addDays(day, 1)) {
      const name = `${tenant} ${day}`;
      const isFinal = day < open;
      const kept = isFinal ? this.#find(name)?.sums : undefined;
      const read = kept ?? await this.#read(tenant, day);
      if (isFinal && kept === undefined) this.#keep(name, { sums: read });
      addTotals(sums, read);
    }
    this.#keep(whole, { sums, stamp });
    return sums;
  }

  async #read(tenant: string, day: string): Promise<GroupedUsage> {
    const sums = emptyTotals();
    const prefix = keys.usageDay(tenant, day);
    for await (const entry of this.#kv.list({ prefix }, { batchSize: 500 })) {
      const { models } = parseRecord(usageRowSchema, entry)!;
      const [agentId, source] = entry.key.slice(prefix.length).map(String) as [string, string];
      addUsageRow(sums, { day, agentId, source, models });
    }
    return sums;
  }

  #find(name: string): CachedTotals | undefined {
    const kept = this.#kept.get(name);
    if (kept === undefined) return undefined;
    this.#kept.delete(name);
    this.#kept.set(name, kept);
    return kept;
  }

  #keep(name: string, kept: CachedTotals): void {
    this.#drop(name);
    this.#kept.set(name, kept);
    this.#size += sizeOfCached(kept);
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= this.#room) return;
      this.#drop(oldest);
    }
  }

  #drop(name: string): void {
    const kept = this.#kept.get(name);
    if (kept === undefined) return;
    this.#kept.delete(name);
    this.#size -= sizeOfCached(kept);
  }
}

/** A day without any usage takes room as well. */
function sizeOfCached({ sums }: CachedTotals): number {
  return 1 + countTotals(sums);
}
