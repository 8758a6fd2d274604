import { randomFraction, type Runtime } from "../platform/runtime.ts";
import { keys } from "../store/keys/keys.ts";
import type { BudgetScope } from "../store/runs/active_run.ts";
import type { GroupCommitter } from "../store/tx/group_committer.ts";
import { StoreUnavailableError } from "../store/tx/operation.ts";
import { ContendedKeys } from "./contended_keys.ts";
import {
  costRejection,
  countSlots,
  type Ledger,
  type LedgerRejection,
  ledgerRejection,
  remainingBudget,
  type TenantLimits,
} from "./ledger.ts";
import {
  type AllotmentRequest,
  allottedLimits,
  createSnapshot,
  divide,
  type Division,
  freeze,
  isFrozen,
  ledgerShardOf,
  type LedgerSnapshot,
  mergeShards,
} from "./ledger_division.ts";
import type { Limits } from "./limits.ts";
import { type ProcessShard, SHARDS } from "./process_shard.ts";
import { withLiveLease } from "./run_lease.ts";

/** How long another process's new division stays in effect before it is replaced; milliseconds. */
const MIN_DIVISION_AGE_MS = { min: 20, spread: 60 };
/** A new run that still has no slot after this time is rejected; its caller may retry. */
export const MAX_WAIT_MS = 4_000;
/** How often a caller rebalances before the store counts as too busy; others may empty its shard again. */
export const MAX_REBALANCES = 100;
const MAX_ATTEMPTS = 50;

/** What a run needs beyond what its shard has; money in micro-USD. */
export type ShardNeed = { streams: number; hold: number; minHold: number };

export type RebalanceResult =
  /** How much of the hold may be reserved now; micro-USD. */
  | { available: number }
  /** The tenant as a whole has reached its limit. */
  | { rejected: LedgerRejection }
  /** The limits were divided for another run of this process: the shard may have enough now. */
  | { changed: true };

interface RebalanceRequest {
  /** The ledger of the process, with the lease that its runs share, if they do. */
  scope: Pick<BudgetScope, "key" | "sharedLease">;
  limits: Pick<Limits, "streams" | "hardDailyCost">;
  need: ShardNeed;
}

/** A division in progress, and the runs of this process that wait for it. */
interface PendingRebalance {
  request: RebalanceRequest;
  /** `undefined` if it failed. */
  done: Promise<RebalanceResult | undefined>;
  others: { streams: number; hold: number };
  reads: number;
}

export function ledgerShardKeys(tenant: string): string[][] {
  return Array.from({ length: SHARDS }, (_, shard) => keys.tenantLedger(tenant, shard));
}

/**
 * Divides the ledger of a tenant that several processes serve: each has a shard under its own key, with an
 * allotment of the tenant's limits that it uses independently. A shard that needs more has the free rest
 * of all shards divided again, so that the limits hold exactly and can be used up completely, whether the
 * other processes are alive or not. A ledger without contention stays one record.
 *
 * Each decision checks the division that it relies on. A division changes in two steps: it is frozen, after
 * which no shard can use more, and then divided by what has been read since. So a change never waits for
 * the other processes to stop writing.
 */
export class LedgerShards {
  /** Shared with other records that are divided, such as request windows. */
  readonly contended: ContendedKeys;
  readonly #committer: GroupCommitter;
  readonly #runtime: Runtime;
  readonly #pending = new Map<string, PendingRebalance>();

  constructor(committer: GroupCommitter, runtime: Runtime) {
    this.#committer = committer;
    this.#runtime = runtime;
    this.contended = new ContendedKeys(committer, runtime);
  }

  get process(): ProcessShard {
    return this.contended.process;
  }

  /** The key of the shard on which this process decides for a tenant. */
  keyOf(tenant: string): string[] {
    return keys.tenantLedger(tenant, this.contended.shardOf(keys.tenantLedger(tenant)));
  }

  /** Moves what a shard needs to it from what is free in all of them. */
  async rebalance(tenant: string, request: RebalanceRequest): Promise<RebalanceResult> {
    const pending = this.#pending.get(tenant);
    if (pending !== undefined) return await this.#join(pending, request);
    const { promise, resolve } = Promise.withResolvers<RebalanceResult | undefined>();
    const own = { request, done: promise, others: { streams: 0, hold: 0 }, reads: 0 };
    this.#pending.set(tenant, own);
    let result: RebalanceResult | undefined;
    try {
      return result = await this.#rebalance(tenant, own);
    } finally {
      this.#pending.delete(tenant);
      resolve(result);
    }
  }

  /** Waits for a pending division; a rejection applies here too if it is based on a later read. */
  async #join(
    pending: PendingRebalance,
    { limits, need }: RebalanceRequest,
  ): Promise<RebalanceResult> {
    pending.others.streams += need.streams;
    pending.others.hold += need.hold;
    const { reads, request } = pending;
    const result = await pending.done;
    if (result === undefined || !("rejected" in result)) return { changed: true };
    const isSame = request.limits.streams === limits.streams &&
      request.limits.hardDailyCost === limits.hardDailyCost;
    const applies = isSame && pending.reads > reads &&
      appliesTo(result.rejected, { need, rejectedNeed: request.need });
    return applies ? result : { changed: true };
  }

  async #rebalance(tenant: string, pending: PendingRebalance): Promise<RebalanceResult> {
    const { request: { scope, limits: { streams, hardDailyCost: hardLimit }, need } } = pending;
    const limits = { streams, hardLimit };
    const shard = ledgerShardOf(scope.key);
    const deadline = this.#runtime.now() + MAX_WAIT_MS;
    let waitedFor = 0;
    // All runs that the same commit found short join before the shards are read.
    await Promise.resolve();
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      // Slots are taken faster than this process gets one.
      const isLate = need.streams > 0 && this.#runtime.now() >= deadline;
      if (isLate) return { rejected: { rejected: "streams" } };
      pending.reads++;
      const snapshot = await this.#read(tenant, scope);
      const { division } = snapshot;
      const whole = mergeShards(snapshot);
      const rejected = tenantRejection(whole, { limits, need, snapshot });
      if (rejected !== undefined) return { rejected };
      const budget = remainingBudget(whole, { limits, moment: snapshot.moment });
      const available = Math.min(need.hold, budget);
      const own = { streams: need.streams, hardLimit: available };
      if (hasEnough(snapshot, { shard, limits, need: own })) return { available };
      const asked = { shard, limits, need: totalNeed(own, pending) };
      if (isFrozen(snapshot, limits)) {
        if (await this.#write(tenant, divide(snapshot, asked))) return { available };
      } else if (division === undefined || division.revision === waitedFor) {
        await this.#write(tenant, freeze(snapshot, asked));
      } else {
        waitedFor = division.revision;
        const { min, spread } = MIN_DIVISION_AGE_MS;
        await this.#runtime.sleep(min + randomFraction(this.#runtime) * spread);
      }
    }
    throw new StoreUnavailableError("other processes keep dividing the same limits");
  }

  async #read(
    tenant: string,
    { key, sharedLease }: RebalanceRequest["scope"],
  ): Promise<LedgerSnapshot> {
    const wanted = [keys.ledgerDivision(tenant), ...ledgerShardKeys(tenant)];
    const [division, ...shards] = await this.#committer.readSnapshot(wanted);
    const now = this.#runtime.now();
    const own = ledgerShardOf(key);
    const ledgers = (shards as (Ledger | undefined)[]).map((ledger, shard) =>
      ledger && shard === own ? withLiveLease(ledger, { sharedLease, now }) : ledger
    );
    return createSnapshot(division as Division | undefined, ledgers, now);
  }

  /** Writes the next revision; false if another process has written one since the read. */
  #write(tenant: string, division: Division): Promise<boolean> {
    const key = keys.ledgerDivision(tenant);
    return this.#committer.run({
      keys: [key],
      decide: (tx) => {
        const { revision = 0 } = tx.get<Division>(key) ?? {};
        if (revision !== division.revision - 1) return false;
        tx.set(key, division);
        return true;
      },
    });
  }
}

/** The needs of all waiting runs; some budget at least, so that free runs need no further division. */
function totalNeed(own: TenantLimits, { others }: PendingRebalance): TenantLimits {
  return {
    streams: own.streams + others.streams,
    hardLimit: Math.max(1, own.hardLimit + others.hold),
  };
}

/** True if the rejection of one run's need applies to another's for the same reason. */
function appliesTo(
  rejection: LedgerRejection,
  { need, rejectedNeed }: { need: ShardNeed; rejectedNeed: ShardNeed },
): boolean {
  if (rejection.rejected === "streams") return need.streams > 0;
  return need.minHold === rejectedNeed.minHold ||
    (rejection.isSpent && need.minHold > rejectedNeed.minHold);
}

function tenantRejection(whole: Ledger, { limits, need, snapshot: { moment } }: {
  limits: TenantLimits;
  need: ShardNeed;
  snapshot: LedgerSnapshot;
}): LedgerRejection | undefined {
  const request = { minHold: need.minHold, limits, moment };
  // An active run needs money only, however many other runs there are.
  return need.streams === 0 ? costRejection(whole, request) : ledgerRejection(whole, request);
}

/** True if the shard already has what it needs, because another process has divided meanwhile. */
function hasEnough(
  { division, ledgers, moment }: LedgerSnapshot,
  { shard, limits, need }: AllotmentRequest,
): boolean {
  const allotted = allottedLimits(division, { limits, shard, period: moment.period });
  const ledger = ledgers[shard]!;
  return allotted !== undefined &&
    countSlots(ledger, moment) + need.streams <= allotted.streams &&
    remainingBudget(ledger, { limits: allotted, moment }) >= need.hardLimit;
}
