import { toMicroUsd } from "../../billing/micro_usd.ts";
import type { NonRunCharges, NonRunHold } from "../../billing/non_run_charges.ts";
import type { Logger } from "../../platform/log.ts";
import { type Runtime, setTimer } from "../../platform/runtime.ts";
import { keys } from "../../store/keys/keys.ts";
import type { RunSource } from "../../store/runs/run_record.ts";
import type { TrialJobRecord } from "../../store/trials/trial_job_record.ts";
import type { GroupCommitter } from "../../store/tx/group_committer.ts";
import type { Transaction } from "../../store/tx/operation.ts";
import { Allotments } from "./allotments.ts";
import { cutCost } from "./cut_cost.ts";
import type { TrialResult } from "./trial_answer.ts";
import type { TrialRequest, TrialRunner } from "./trial_runner.ts";

/** How long a job belongs to its process without a sign of it. */
export const JOB_LEASE_MS = 60_000;
const HEARTBEAT_MS = 5_000;

export interface TrialJobDeps {
  committer: GroupCommitter;
  charges: Pick<NonRunCharges, "reserve" | "charge" | "end">;
  trials: Pick<TrialRunner, "run">;
  runtime: Runtime;
  log: Logger;
}

type OpenTrial = TrialJobRecord["open"][string];

/** Trials that run in the background, with money that is set aside for all of them. */
export class TrialJob {
  readonly id: string;
  readonly #deps: TrialJobDeps;
  readonly #tenant: string;
  readonly #source: RunSource;
  readonly #hold: NonRunHold;
  readonly #allotments: Allotments;
  readonly #key: Deno.KvKey;
  readonly #abort = new AbortController();
  #cancelHeartbeat: (() => void) | undefined;
  #trials = 0;
  /** What is being done and has not been charged yet. */
  readonly #uncharged = new Set<Promise<unknown>>();

  constructor(
    deps: TrialJobDeps,
    { tenant, id, source, amount, hold }: {
      tenant: string;
      id: string;
      source: RunSource;
      amount: number;
      hold: NonRunHold;
    },
  ) {
    this.#deps = deps;
    this.id = id;
    this.#tenant = tenant;
    this.#source = source;
    this.#hold = hold;
    this.#allotments = new Allotments(amount);
    this.#key = keys.trialJob(tenant, id);
    this.#scheduleHeartbeat();
  }

  /** Aborted when the job is stopped, or lost to another process. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** What the trials have cost so far, micro-USD. */
  get spent(): number {
    return this.#allotments.spent;
  }

  abort(): void {
    this.#abort.abort();
  }

  /**
   * Runs a trial with at most its agent's own budget, when other trials have left as much; `undefined` if
   * what is left is not enough for it, or the job is stopped before it begins.
   */
  async run(
    trial: Omit<TrialRequest, "tenant" | "source" | "maxCost" | "signal">,
  ): Promise<TrialResult | undefined> {
    const { agent: { id: agentId, budget, modelPolicy: { provider, model } } } = trial;
    const wanted = toMicroUsd(budget.maxCostUsd);
    const request = { ...trial, signal: this.signal, tenant: this.#tenant, source: this.#source };
    const spent = await this.spend(
      { agentId, provider, model, wanted },
      (maxCost) => this.#deps.trials.run({ ...request, maxCost }),
    );
    if (spent === undefined) return undefined;
    const { result, maxCost } = spent;
    // The agent would have had more.
    return maxCost < wanted && result.finishReason === "max_cost" ? undefined : result;
  }

  /**
   * Does something that costs at most what it wants, or what other work leaves of that, and charges it;
   * `undefined` if what is left is less than `least` or nothing, or the job is stopped before.
   */
  spend<T extends Pick<TrialResult, "cost" | "shares">>(
    wanted: Omit<OpenTrial, "maxCost"> & { wanted: number; least?: number },
    work: (maxCost: number) => Promise<T>,
  ): Promise<{ result: T; maxCost: number } | undefined> {
    const spent = this.#spend(wanted, work).finally(() => this.#uncharged.delete(spent));
    this.#uncharged.add(spent);
    return spent;
  }

  async #spend<T extends Pick<TrialResult, "cost" | "shares">>(
    { wanted, least = 0, ...of }: Omit<OpenTrial, "maxCost"> & { wanted: number; least?: number },
    work: (maxCost: number) => Promise<T>,
  ): Promise<{ result: T; maxCost: number } | undefined> {
    const maxCost = await this.#allotments.take(wanted);
    const n = String(this.#trials++);
    const isEnough = maxCost >= least && (maxCost > 0 || wanted === 0);
    let result: T;
    let used = 0;
    try {
      const isBegun = isEnough && !this.signal.aborted && await this.#begin(n, { ...of, maxCost });
      if (!isBegun) return undefined;
      used = maxCost;
      result = cutCost(await work(maxCost), maxCost);
      used = result.cost;
    } finally {
      // Also after a failure: others may wait for what it leaves.
      this.#allotments.give(maxCost, used);
    }
    await this.#charge(n, { agentId: of.agentId, shares: result.shares });
    return { result, maxCost };
  }

  /** Aborts what is still being done and charges it, frees the money that is left, and forgets the job. */
  async end(): Promise<void> {
    this.#abort.abort();
    await Promise.allSettled(this.#uncharged);
    this.#cancelHeartbeat?.();
    const also = { keys: [], write: (tx: Transaction) => tx.blindWrite(this.#key, undefined) };
    await this.#deps.charges.end(this.#hold, { also });
  }

  /** Stored before the trial begins, so that another process knows what to charge. */
  #begin(n: string, open: OpenTrial): Promise<boolean> {
    return this.#update((job) => ({ ...job, open: { ...job.open, [n]: open } }));
  }

  async #charge(
    n: string,
    { agentId, shares }: { agentId: string } & Pick<TrialResult, "shares">,
  ): Promise<void> {
    const key = this.#key;
    const used = shares.map((share) => ({ ...share, agentId, source: this.#source }));
    const openIn = (tx: Transaction) => tx.get<TrialJobRecord>(key)?.open ?? {};
    const write = (tx: Transaction) => {
      const { [n]: _ended, ...open } = openIn(tx);
      tx.set(key, { ...tx.get<TrialJobRecord>(key)!, open });
    };
    const charged = await this.#deps.charges.charge(this.#hold, {
      used,
      also: { keys: [key], write },
      isDone: (tx) => openIn(tx)[n] === undefined,
    });
    if (!charged) this.abort();
  }

  /** Changes the record of the job; false if another process has settled it. */
  async #update(change: (job: TrialJobRecord) => TrialJobRecord): Promise<boolean> {
    const key = this.#key;
    return await this.#deps.committer.run<boolean>({
      keys: [key],
      decide(tx) {
        const job = tx.get<TrialJobRecord>(key);
        if (job === undefined) return false;
        tx.set(key, change(job));
        return true;
      },
    });
  }

  #scheduleHeartbeat(): void {
    this.#cancelHeartbeat = setTimer(this.#deps.runtime, HEARTBEAT_MS, () => {
      if (this.signal.aborted) return;
      this.#scheduleHeartbeat();
      void this.#beat().catch((error) => {
        this.#deps.log.warn("could not renew a job of trials", { id: this.id, error });
      });
    });
  }

  /** Renews the lease, and finds that the job is to stop. */
  async #beat(): Promise<void> {
    const until = this.#deps.runtime.now() + JOB_LEASE_MS;
    let isWanted = false;
    const isMine = await this.#update((job) => {
      isWanted = job.stop === undefined;
      return { ...job, until };
    });
    if (!isMine || !isWanted) this.abort();
  }
}
