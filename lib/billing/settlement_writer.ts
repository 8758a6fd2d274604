import type { Runtime } from "../platform/runtime.ts";
import { keys } from "../store/keys/keys.ts";
import type { ActiveRun } from "../store/runs/active_run.ts";
import type { RunEnd, RunFacts, RunRecord } from "../store/runs/run_record.ts";
import type { GroupCommitter } from "../store/tx/group_committer.ts";
import { StoreUnavailableError, type Transaction } from "../store/tx/operation.ts";
import {
  type Charge,
  clearActiveRun,
  decideSettlement,
  type SettleHook,
  type Settlement,
  settlementKeys,
  ShortShardError,
} from "./decide_settlement.ts";
import { findLease, type Lease, type Ledger } from "./ledger.ts";
import { type LedgerShards, MAX_REBALANCES } from "./ledger_shards.ts";

/** Maximum settlements to be retried; the runs beyond it are settled as orphaned. */
const MAX_PENDING = 1_000;

/** A settlement without its time and shard, which are those of each attempt. */
type PendingSettlement = Omit<Settlement, "now" | "shard">;

/**
 * Commits settlements: each run is charged, freed and recorded once, whichever process settles it. Those
 * that fail because the store is unavailable are retried while the run's lease lasts, so that an outage of
 * seconds costs a tenant neither a slot nor a run's whole hold.
 */
export class SettlementWriter {
  readonly #committer: GroupCommitter;
  readonly #shards: Pick<LedgerShards, "process" | "rebalance">;
  readonly #runtime: Pick<Runtime, "now">;
  readonly #pending = new Map<string, PendingSettlement>();

  constructor(committer: GroupCommitter, options: {
    shards: Pick<LedgerShards, "process" | "rebalance">;
    runtime: Pick<Runtime, "now">;
  }) {
    this.#committer = committer;
    this.#shards = options.shards;
    this.#runtime = options.runtime;
  }

  get hasPending(): boolean {
    return this.#pending.size > 0;
  }

  /** Settles a run and returns the charge, also if it was settled before. */
  async settle(settlement: PendingSettlement): Promise<Charge | undefined> {
    try {
      return await this.#settleInFull(settlement);
    } catch (error) {
      this.retryLater(settlement, error);
      throw error;
    }
  }

  /** Retries a settlement later if `error` says that the store was unavailable. */
  retryLater(settlement: PendingSettlement, error: unknown): void {
    if (!(error instanceof StoreUnavailableError) || this.#pending.size >= MAX_PENDING) return;
    this.#pending.set(settlement.activeRun.run.runId, settlement);
  }

  /** Retries all pending settlements; those that fail for the same reason stay pending. */
  async retryPending(): Promise<void> {
    await Promise.all([...this.#pending].map(async ([runId, settlement]) => {
      try {
        await this.#settleInFull(settlement);
      } catch (error) {
        if (error instanceof StoreUnavailableError) return;
      }
      this.#pending.delete(runId);
    }));
  }

  /**
   * Charges a run that costs more than it holds from the budget of all shards. Other processes may divide
   * the limits again before the commit, so the commit itself decides whether its shard has enough.
   */
  async #settleInFull(settlement: PendingSettlement): Promise<Charge | undefined> {
    const { activeRun: { accounts, run: { tenant } }, limits, cost = 0, ceiling } = settlement;
    if (!settlement.exceedsHold || limits === undefined) return await this.#write(settlement);
    let minCharge = Infinity;
    for (let attempt = 0; attempt < MAX_REBALANCES; attempt++) {
      try {
        return await this.#write({ ...settlement, minCharge });
      } catch (error) {
        if (!(error instanceof ShortShardError)) throw error;
        const need = { streams: 0, hold: Math.min(cost, ceiling) - error.held, minHold: 0 };
        const request = { key: accounts[0]!.key, limits, need };
        const rebalanced = await this.#shards.rebalance(tenant, request);
        if ("rejected" in rebalanced) minCharge = 0;
        else if ("available" in rebalanced) minCharge = error.held + rebalanced.available;
      }
    }
    return await this.#write(settlement);
  }

  /**
   * Settles an orphaned run; `lease` is the one by which it was found orphaned. Returns `undefined` if
   * the lease was renewed since, or the run was settled before.
   */
  settleOrphaned(
    activeRun: ActiveRun,
    { lease, end, settleHook }: { lease: Lease | undefined; end: RunEnd; settleHook?: SettleHook },
  ): Promise<Charge | undefined> {
    const settlement = { activeRun, end, cost: undefined, ceiling: Infinity, settleHook };
    return this.#write(settlement, { orphan: { until: lease?.until } });
  }

  async #write(
    pending: PendingSettlement,
    { orphan }: { orphan?: { until: number | undefined } } = {},
  ): Promise<Charge | undefined> {
    const now = this.#runtime.now();
    const settlement: Settlement = { ...pending, now, shard: this.#shards.process.number };
    const { activeRun, settleHook } = settlement;
    let charge: Charge | undefined;
    let lease: Lease | undefined;
    let isAlive = false;
    const written = await this.#committer.run({
      keys: settlementKeys(settlement),
      freshKeys: settleHook?.freshKeys ?? [],
      decide: (tx) => {
        lease = findLease(tx.get<Ledger>(activeRun.accounts[0]!.key), activeRun.run.runId);
        isAlive = orphan !== undefined && lease !== undefined && lease.until !== orphan.until;
        if (isAlive) return undefined;
        if (orphan && lease === undefined) clearActiveRun(tx, settlement);
        // After a commit of unknown outcome the lease is gone; the charge is that of the commit.
        charge = decideSettlement(tx, settlement) ?? charge;
        return charge;
      },
      canWait: settleHook?.canWait ?? false,
      estimatedBytes: 5_120 + (settleHook?.estimatedBytes ?? 0),
    });
    if (isAlive) return undefined;
    const late = lease === undefined;
    await settleHook?.afterCommit?.({ late });
    return late && !orphan ? await this.#readCharge(activeRun.run) ?? written : written;
  }

  /** The charge of a settled run, whichever process settled it; `undefined` once its record expired. */
  async #readCharge({ tenant, runId }: RunFacts): Promise<Charge | undefined> {
    const key = keys.run(tenant, runId);
    const decide = (tx: Transaction) => tx.get<RunRecord>(key);
    const record = await this.#committer.run({ keys: [key], decide }).catch(() => undefined);
    return record && { charged: record.cost, excess: record.excess };
  }
}
