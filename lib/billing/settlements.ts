import type { Committer } from "../store/tx/committer.ts";
import type { Draft } from "../store/tx/operation.ts";
import { keys } from "../store/keys/keys.ts";
import type { RunFacts, RunRecord } from "../store/runs/run_record.ts";
import type { Opening } from "./decide_run.ts";
import { type Lease, leaseOf, type Ledger } from "./ledger.ts";
import type { ProcessShard } from "./process_shard.ts";
import {
  type Charge,
  clearLiveRun,
  type Closing,
  decideSettlement,
  type Settlement,
  settlementKeys,
} from "./settle_run.ts";

/** Commits settlements: each run is charged, freed and recorded once, whoever settles it. */
export class Settlements {
  readonly #committer: Committer;
  /** Whose shard of usage is written. */
  readonly #process: Pick<ProcessShard, "number">;

  constructor(committer: Committer, process: Pick<ProcessShard, "number">) {
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
    const { live, closing } = settlement;
    let charge: Charge | undefined;
    let lease: Lease | undefined;
    let goesOn = false;
    const written = await this.#committer.run({
      keys: settlementKeys(settlement),
      drawn: closing?.drawn ?? [],
      decide: (draft) => {
        lease = leaseOf(draft.get<Ledger>(live.accounts[0]!.key), live.run.runId);
        // Renewed since it was looked at: its process lives.
        goesOn = dead !== undefined && lease !== undefined && lease.until !== dead.until;
        if (goesOn) return undefined;
        if (dead && lease === undefined) clearLiveRun(draft, settlement);
        // After a commit of unknown outcome the lease is gone: the charge is the one it has made.
        charge = decideSettlement(draft, settlement) ?? charge;
        return charge;
      },
      bytes: 5_120 + (closing?.bytes ?? 0),
    });
    if (goesOn) return undefined;
    const late = lease === undefined;
    await closing?.afterwards?.({ late });
    return late && dead === undefined ? await this.#charged(live.run) ?? written : written;
  }

  /** What a run that has been settled was charged, whoever did it; nothing once its record is gone. */
  async #charged({ tenant, runId }: RunFacts): Promise<Charge | undefined> {
    const key = keys.run(tenant, runId);
    const decide = (draft: Draft) => draft.get<RunRecord>(key);
    const record = await this.#committer.run({ keys: [key], decide }).catch(() => undefined);
    return record && { charged: record.cost, excess: record.excess };
  }
}

/** Takes back what began with a run, where its caller was answered that the store is away. */
export function withdrawing({ withdraw = () => {} }: Opening): Closing {
  return { keys: [], bytes: 512, write: withdraw };
}
