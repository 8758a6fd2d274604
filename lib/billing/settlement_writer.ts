import type { GroupCommitter } from "../store/tx/group_committer.ts";
import type { Transaction } from "../store/tx/operation.ts";
import { keys } from "../store/keys/keys.ts";
import type { RunFacts, RunRecord } from "../store/runs/run_record.ts";
import type { StartHook } from "./decide_run.ts";
import { findLease, type Lease, type Ledger } from "./ledger.ts";
import type { ProcessShard } from "./process_shard.ts";
import {
  type Charge,
  clearActiveRun,
  decideSettlement,
  type SettleHook,
  type Settlement,
  settlementKeys,
  ShortShardError,
} from "./decide_settlement.ts";
import type { LedgerShards } from "./ledger_shards.ts";
import type { PendingSettlement } from "./settlement_retry_queue.ts";

/** Commits settlements: each run is charged, freed and recorded once, whoever settles it. */
export class SettlementWriter {
  readonly #committer: GroupCommitter;
  /** Whose shard of usage is written. */
  readonly #process: Pick<ProcessShard, "number">;

  constructor(committer: GroupCommitter, process: Pick<ProcessShard, "number">) {
    this.#committer = committer;
    this.#process = process;
  }

  /**
   * Settles a run; answers what it was charged, also when somebody else had settled it before. With
   * `dead` (the lease by which its process was found dead) nothing happens when the lease has been
   * renewed since, and nothing is answered.
   */
  async write(
    asked: Settlement,
    { dead }: { dead?: { until: number | undefined } } = {},
  ): Promise<Charge | undefined> {
    const settlement = { ...asked, shard: this.#process.number };
    const { activeRun, settleHook } = settlement;
    let charge: Charge | undefined;
    let lease: Lease | undefined;
    let goesOn = false;
    const written = await this.#committer.run({
      keys: settlementKeys(settlement),
      freshKeys: settleHook?.freshKeys ?? [],
      decide: (draft) => {
        lease = findLease(draft.get<Ledger>(activeRun.accounts[0]!.key), activeRun.run.runId);
        // Renewed since it was looked at: its process lives.
        goesOn = dead !== undefined && lease !== undefined && lease.until !== dead.until;
        if (goesOn) return undefined;
        if (dead && lease === undefined) clearActiveRun(draft, settlement);
        // After a commit of unknown outcome the lease is gone: the charge is the one it has made.
        charge = decideSettlement(draft, settlement) ?? charge;
        return charge;
      },
      estimatedBytes: 5_120 + (settleHook?.estimatedBytes ?? 0),
    });
    if (goesOn) return undefined;
    const late = lease === undefined;
    await settleHook?.afterCommit?.({ late });
    return late && dead === undefined ? await this.#readCharge(activeRun.run) ?? written : written;
  }

  /** What a run that has been settled was charged, whoever did it; nothing once its record is gone. */
  async #readCharge({ tenant, runId }: RunFacts): Promise<Charge | undefined> {
    const key = keys.run(tenant, runId);
    const decide = (draft: Transaction) => draft.get<RunRecord>(key);
    const record = await this.#committer.run({ keys: [key], decide }).catch(() => undefined);
    return record && { charged: record.cost, excess: record.excess };
  }
}

/** Takes back what began with a run, where its caller was answered that the store is away. */
export function toUndoHook({ undo = () => {} }: StartHook): SettleHook {
  return { keys: [], estimatedBytes: 512, write: undo };
}

/** Other processes that take back what was fetched are asked again this often. */
const MAX_REBALANCES = 100;

/**
 * Settles by `settle` a run that may cost more than it holds: it is charged from what all shards of its
 * tenant's ledger have left, not only its own. Others may divide the limits again between the moment a
 * shard has enough and the commit that charges it, so that commit decides whether it has.
 */
export async function settleInFull<T>(
  unsettled: PendingSettlement,
  { shards, settle }: {
    shards: Pick<LedgerShards, "rebalance">;
    settle: (unsettled: PendingSettlement) => Promise<T>;
  },
): Promise<T> {
  const { activeRun: { accounts, run: { tenant } }, limits, cost = 0, ceiling } = unsettled;
  if (!unsettled.exceedsHold || limits === undefined) return await settle(unsettled);
  let within = Infinity;
  for (let tries = 0; tries < MAX_REBALANCES; tries++) {
    try {
      return await settle({ ...unsettled, minCharge: within });
    } catch (error) {
      if (!(error instanceof ShortShardError)) throw error;
      const need = { streams: 0, hold: Math.min(cost, ceiling) - error.held, minHold: 0 };
      const rebalanced = await shards.rebalance(tenant, { key: accounts[0]!.key, limits, need });
      if ("rejected" in rebalanced) within = 0;
      else if ("available" in rebalanced) within = error.held + rebalanced.available;
    }
  }
  return await settle(unsettled);
}
