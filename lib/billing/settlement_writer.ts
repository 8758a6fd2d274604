import type { Runtime } from "../platform/runtime.ts";
import { keys } from "../store/keys/keys.ts";
import type { ActiveRun } from "../store/runs/active_run.ts";
import type { RunEnd, RunFacts, RunRecord } from "../store/runs/run_record.ts";
import type { GroupCommitter } from "../store/tx/group_committer.ts";
import { StoreUnavailableError, type Transaction } from "../store/tx/operation.ts";
import type { BillingObserver } from "./billing_observer.ts";
import {
  type Charge,
  clearActiveRun,
  decideSettlement,
  type SettleHook,
  type Settlement,
  settlementKeys,
  ShortShardError,
} from "./decide_settlement.ts";
import { ABANDONED, type Lease } from "./ledger.ts";
import { type LedgerShards, MAX_REBALANCES } from "./ledger_shards.ts";
import { readRunLease } from "./run_lease.ts";

/** Maximum settlements to be retried; the runs beyond it are settled as orphaned. */
const MAX_PENDING = 1_000;

/** A settlement without its time and shard, which are those of each attempt. */
type PendingSettlement = Omit<Settlement, "now" | "shard" | "onDecided"> & {
  /** Its caller got an error, so its admission has not been reported. */
  isWithdrawn?: boolean;
};

/** What the latest attempt at a settlement would have recorded; kept until one is known to be committed. */
type TrackedSettlement = PendingSettlement & { attempted: { record?: RunRecord } };

/**
 * Commits settlements: each run is charged, freed and recorded once, whichever process settles it. Those
 * that fail because the store is unavailable are retried while the run's lease lasts, so that an outage of
 * seconds costs a tenant neither a slot nor a run's whole hold.
 */
export class SettlementWriter {
  readonly #committer: GroupCommitter;
  readonly #shards: Pick<LedgerShards, "process" | "rebalance">;
  readonly #runtime: Pick<Runtime, "now">;
  readonly #observer: BillingObserver | undefined;
  readonly #pending = new Map<string, TrackedSettlement>();

  constructor(committer: GroupCommitter, options: {
    shards: Pick<LedgerShards, "process" | "rebalance">;
    runtime: Pick<Runtime, "now">;
    observer?: BillingObserver | undefined;
  }) {
    this.#observer = options.observer;
    this.#committer = committer;
    this.#shards = options.shards;
    this.#runtime = options.runtime;
  }

  get hasPending(): boolean {
    return this.#pending.size > 0;
  }

  /** Settles a run and returns the charge, also if it was settled before. */
  async settle(settlement: PendingSettlement): Promise<Charge | undefined> {
    const tracked = { ...settlement, attempted: {} };
    try {
      return await this.#settleInFull(tracked);
    } catch (error) {
      this.#retryLater(tracked, error);
      throw error;
    }
  }

  /** Retries a settlement later if `error` says that the store was unavailable. */
  retryLater(settlement: PendingSettlement, error: unknown): void {
    this.#retryLater({ ...settlement, attempted: {} }, error);
  }

  #retryLater(settlement: TrackedSettlement, error: unknown): void {
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
  async #settleInFull(settlement: TrackedSettlement): Promise<Charge | undefined> {
    const { activeRun: { accounts, run: { tenant } }, limits, cost = 0, ceiling } = settlement;
    if (!settlement.exceedsHold || limits === undefined) return await this.#write(settlement);
    let minCharge = Infinity;
    for (let attempt = 0; attempt < MAX_REBALANCES; attempt++) {
      try {
        return await this.#write({ ...settlement, minCharge });
      } catch (error) {
        if (!(error instanceof ShortShardError)) throw error;
        const need = { streams: 0, hold: Math.min(cost, ceiling) - error.held, minHold: 0 };
        const request = { scope: accounts[0]!, limits, need };
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
    const order = { activeRun, end, cost: undefined, ceiling: Infinity, settleHook };
    const settlement = { ...order, attempted: {} };
    return this.#write(settlement, { orphan: { until: lease?.until } });
  }

  async #write(
    { attempted, isWithdrawn, ...pending }: TrackedSettlement,
    { orphan }: { orphan?: { until: number | undefined } } = {},
  ): Promise<Charge | undefined> {
    const now = this.#runtime.now();
    const onDecided = (record: RunRecord) => attempted.record = record;
    const { number: shard } = this.#shards.process;
    const settlement: Settlement = { ...pending, now, shard, onDecided };
    const { activeRun, settleHook } = settlement;
    let charge: Charge | undefined;
    let lease: Lease | undefined;
    let isAlive = false;
    const written = await this.#committer.run({
      keys: settlementKeys(settlement),
      freshKeys: settleHook?.freshKeys ?? [],
      decide: (tx) => {
        lease = readRunLease(tx, { scopes: activeRun.accounts, run: activeRun.run });
        isAlive = orphan !== undefined && lease !== undefined && lease.until !== orphan.until &&
          orphan.until !== ABANDONED.until;
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
    const stored = late && !orphan ? await this.#readRecord(activeRun.run) : undefined;
    const { record } = attempted;
    // After an attempt of unknown outcome, the stored record shows whose settlement it was.
    if (record && (!late || isSame(record, stored))) this.#report(record, isWithdrawn);
    return stored === undefined ? written : { charged: stored.cost, excess: stored.excess };
  }

  #report(record: RunRecord, isWithdrawn = false): void {
    if (isWithdrawn) this.#observer?.onAdmitted(record);
    this.#observer?.onSettled(record);
  }

  /** The record of a settled run, whichever process settled it; `undefined` once it has expired. */
  async #readRecord({ tenant, runId }: RunFacts): Promise<RunRecord | undefined> {
    const key = keys.run(tenant, runId);
    const decide = (tx: Transaction) => tx.get<RunRecord>(key);
    return await this.#committer.run({ keys: [key], decide }).catch(() => undefined);
  }
}

/** True if both records are of one settlement: another process settles a run as interrupted. */
function isSame(one: RunRecord, stored: RunRecord | undefined): boolean {
  return stored !== undefined && one.endedAt === stored.endedAt && one.cost === stored.cost &&
    one.finishReason === stored.finishReason;
}
