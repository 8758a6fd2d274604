import type { Committer } from "../committer/committer.ts";
import type { Draft } from "../committer/operation.ts";
import { keys, ledgerShardOf } from "../storage/keys.ts";
import type { System } from "../system.ts";
import { allot, inOnePeriod, mergeShards } from "./allotment.ts";
import {
  dayOf,
  type Ledger,
  type LedgerRefusal,
  type Moment,
  refusalOf,
  roomOf,
  type TenantLimits,
} from "./ledger.ts";
import type { Limits } from "./limits.ts";
import { ProcessShard, SHARDS } from "./process_shard.ts";

/** A key that other processes have changed this often, within this time, is contended. */
const CONTENDED_TIMES = 2;
const CONTENDED_MS = 10_000;
/** Tenants whose contention is remembered. */
const REMEMBERED_TENANTS = 10_000;

/** What a run needs beyond what its shard has; money in micro-USD. */
export interface ShardNeed {
  streams: number;
  hold: number;
  /** It can do with so little. */
  least: number;
}

/** What came of asking for more. */
export type Rebalanced =
  /** So much of the hold may be set aside now; micro-USD. */
  | { available: number }
  /** The tenant as a whole has reached its limit. */
  | { refused: LedgerRefusal };

/** The keys of all shards of a tenant's ledger. */
export function ledgerShardKeys(tenant: string): string[][] {
  return Array.from({ length: SHARDS }, (_, shard) => keys.tenantLedger(tenant, shard));
}

/**
 * Divides the ledger of a tenant that several processes are busy with: each has a shard under a key of
 * its own, with an allotment of the tenant's limits that it decides on without the others. One that has
 * too little takes from all shards at once, in one transaction that checks every one of them, so that the
 * limits hold exactly and are reached to the last unit, whether the other processes are alive or not.
 * A ledger that is not contended stays one record.
 */
export class LedgerShards {
  /** The shard that this process writes. */
  readonly process: ProcessShard;
  readonly #committer: Committer;
  readonly #system: System;
  /** When each tenant's ledger was contended lately, milliseconds. */
  readonly #contended = new Map<string, number[]>();
  readonly #divided = new Set<string>();

  constructor(committer: Committer, system: System) {
    this.#committer = committer;
    this.#system = system;
    this.process = new ProcessShard(committer, system);
    committer.onContended((key) => {
      if (key[0] === keys.tenantLedgers()[0]) this.#noteContended(String(key[1]));
    });
  }

  /** Where this process decides on the tenant's limits. */
  keyOf(tenant: string): string[] {
    return keys.tenantLedger(tenant, this.#divided.has(tenant) ? this.process.number : 0);
  }

  /** Gets the shard under `key` what it needs from what is free in all of them. */
  async rebalance(
    tenant: string,
    { key, limits: { streams, hardDailyCost: hardLimit }, need }: {
      key: readonly string[];
      limits: Pick<Limits, "streams" | "hardDailyCost">;
      need: ShardNeed;
    },
  ): Promise<Rebalanced> {
    const all = ledgerShardKeys(tenant);
    const limits = { streams, hardLimit };
    return await this.#committer.run<Rebalanced>({
      keys: all,
      decide: (draft) => {
        const stored = all.map((one) => draft.get<Ledger>(one));
        const now = this.#system.now();
        const { ledgers, moment } = inOnePeriod(stored, { now, period: dayOf(now) });
        const whole = mergeShards(ledgers, moment);
        const refused = refusedBy(whole, { limits, need, moment });
        if (refused !== undefined) return { refused };
        const available = Math.min(need.hold, roomOf(whole, { limits, moment }));
        const asked = { streams: need.streams, hardLimit: Math.max(1, available) };
        const request = { shard: ledgerShardOf(key), limits, need: asked, moment };
        writeChanged(draft, all, { before: ledgers, after: allot(ledgers, request) });
        return { available };
      },
    });
  }

  /** A tenant whose ledger other processes change at the same time is divided from now on. */
  #noteContended(tenant: string): void {
    if (this.#divided.has(tenant)) return;
    const now = this.#system.now();
    const times = (this.#contended.get(tenant) ?? []).filter((at) => at > now - CONTENDED_MS);
    this.#contended.delete(tenant);
    if (times.length + 1 < CONTENDED_TIMES) {
      this.#contended.set(tenant, [...times, now]);
      forgetOldest(this.#contended);
      return;
    }
    void this.process.claim();
    this.#divided.add(tenant);
    forgetOldest(this.#divided);
  }
}

function refusedBy(
  whole: Ledger,
  { limits, need, moment }: { limits: TenantLimits; need: ShardNeed; moment: Moment },
): LedgerRefusal | undefined {
  // What a run that goes on already needs is money alone.
  const streams = need.streams === 0 ? Infinity : limits.streams;
  return refusalOf(whole, { least: need.least, limits: { ...limits, streams }, moment });
}

function writeChanged(
  draft: Draft,
  all: readonly string[][],
  { before, after }: { before: readonly Ledger[]; after: readonly Ledger[] },
): void {
  after.forEach((ledger, i) => {
    if (ledger !== before[i]) draft.set(all[i]!, ledger);
  });
}

function forgetOldest(of: Map<string, unknown> | Set<string>): void {
  const [oldest] = of.keys();
  if (of.size > REMEMBERED_TENANTS) of.delete(oldest!);
}
