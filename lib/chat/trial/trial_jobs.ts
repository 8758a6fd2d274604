import type { AlsoWrite } from "../../billing/non_run_charges.ts";
import { LimitError } from "../../billing/limit_error.ts";
import { MAX_SKEW_MS } from "../../billing/ledger.ts";
import { PeriodicTask } from "../../platform/periodic_task.ts";
import { keys } from "../../store/keys/keys.ts";
import type { RunSource } from "../../store/runs/run_record.ts";
import { type TrialJobRecord, trialJobSchema } from "../../store/trials/trial_job_record.ts";
import { parseRecord } from "../../store/values/record.ts";
import { JOB_LEASE_MS, TrialJob, type TrialJobDeps } from "./trial_job.ts";

/** Jobs of dead processes are looked for this often. */
const SWEEP_MS = 10 * 60_000;

interface TrialJobsDeps extends TrialJobDeps {
  kv: Deno.Kv;
}

/** Of one tenant at the same time: each has its questions in memory, and asks several of them at once. */
export const MAX_JOBS = 10;
const RETRY_MS = 30_000;

/** Whom the money of a job is set aside for. */
export interface NewTrialJob {
  id: string;
  source: RunSource;
  /** Micro-USD. */
  amount: number;
}

/**
 * Background jobs that run trials: rehearsals and test sets. Their money is reserved before they begin and
 * settled exactly, also by another process if theirs dies. Any process can stop one.
 */
export class TrialJobs {
  readonly #deps: TrialJobsDeps;
  readonly #running = new Map<string, { job: TrialJob; ended: Promise<void> }>();
  readonly #sweeps: PeriodicTask;

  constructor(deps: TrialJobsDeps) {
    this.#deps = deps;
    const work = () => this.sweep();
    this.#sweeps = new PeriodicTask(deps.runtime, { everyMs: SWEEP_MS, work });
  }

  /** Looks for jobs of dead processes periodically, until closed. */
  startSweeps(): void {
    this.#sweeps.start();
  }

  /** Throws a `LimitError` if the tenant has as many jobs as it may have. To be called before `start`. */
  async requireRoom(tenant: string): Promise<void> {
    let running = 0;
    for await (const entry of this.#deps.kv.list({ prefix: keys.trialJobs(tenant) })) {
      const job = parseRecord(trialJobSchema, entry)!;
      if (this.#running.has(job.id) || !await this.#settleIfDead(job)) running++;
    }
    if (running < MAX_JOBS) return;
    throw new LimitError({ scope: "tenant_jobs", limit: MAX_JOBS, retryAfterMs: RETRY_MS });
  }

  /**
   * Sets the money aside and starts `work` in the background; false if the tenant's day does not have it.
   * `work` must not throw. Its job is aborted when it is stopped, or lost to another process.
   */
  async start(
    tenant: string,
    { id, source, amount }: NewTrialJob,
    work: (job: TrialJob) => Promise<void>,
  ): Promise<boolean> {
    const { charges, runtime } = this.#deps;
    const until = runtime.now() + JOB_LEASE_MS;
    const key = keys.trialJob(tenant, id);
    const hold = await charges.reserve(tenant, amount, (hold): AlsoWrite => ({
      keys: [],
      write(tx) {
        const record: TrialJobRecord = {
          ...{ v: 1, id, tenant, until, source, hold: { ...hold }, open: {} },
        };
        tx.blindWrite(key, record);
      },
    }));
    if (hold === undefined) return false;
    const job = new TrialJob(this.#deps, { tenant, id, source, amount, hold });
    const ended = this.#work(job, work);
    this.#running.set(id, { job, ended });
    return true;
  }

  /** Whether a job's process works on it. One whose process died is settled. */
  async isRunning(tenant: string, id: string): Promise<boolean> {
    if (this.#running.has(id)) return true;
    const found = parseRecord(trialJobSchema, await this.#deps.kv.get(keys.trialJob(tenant, id)));
    if (found === undefined) return false;
    return !await this.#settleIfDead(found);
  }

  /** Asks a job of any process to stop; nothing happens if it has ended. */
  async stop(tenant: string, id: string): Promise<void> {
    this.#running.get(id)?.job.abort();
    const key = keys.trialJob(tenant, id);
    await this.#deps.committer.run<void>({
      keys: [key],
      decide(tx) {
        const job = tx.get<TrialJobRecord>(key);
        if (job !== undefined && job.stop === undefined) tx.set(key, { ...job, stop: true });
      },
    });
  }

  /** Asks every job of a tenant to stop, in all processes. Returns how many are running. */
  async stopAllOf(tenant: string): Promise<number> {
    let running = 0;
    for await (const { key } of this.#deps.kv.list({ prefix: keys.trialJobs(tenant) })) {
      const id = String(key[2]);
      if (!await this.isRunning(tenant, id)) continue;
      running++;
      await this.stop(tenant, id);
    }
    return running;
  }

  /** Settles the jobs of dead processes. Never throws. */
  async sweep(): Promise<void> {
    try {
      for await (const entry of this.#deps.kv.list({ prefix: keys.allTrialJobs() })) {
        const job = parseRecord(trialJobSchema, entry)!;
        if (!this.#running.has(job.id)) await this.#settleIfDead(job);
      }
    } catch (error) {
      this.#deps.log.error("could not look for jobs of trials", { error });
    }
  }

  /** Stops the jobs of this process; resolves when they are settled. */
  async close(): Promise<void> {
    await this.#sweeps.stop();
    const all = [...this.#running.values()];
    for (const { job } of all) job.abort();
    await Promise.all(all.map(({ ended }) => ended));
  }

  async #work(job: TrialJob, work: (job: TrialJob) => Promise<void>): Promise<void> {
    try {
      await work(job);
    } catch (error) {
      this.#deps.log.error("a job of trials failed", { id: job.id, error });
    }
    try {
      await job.end();
    } catch (error) {
      // Its lease lapses, and a later sweep settles it.
      this.#deps.log.error("could not settle a job of trials", { id: job.id, error });
    }
    this.#running.delete(job.id);
  }

  /** What its open trials have cost is unknown, so they are charged what they were allotted. */
  async #settleIfDead(job: TrialJobRecord): Promise<boolean> {
    const { charges, runtime } = this.#deps;
    if (runtime.now() < job.until + MAX_SKEW_MS) return false;
    const key = keys.trialJob(job.tenant, job.id);
    const used = Object.values(job.open).map(({ maxCost: cost, ...of }) => ({
      ...{ ...of, cost, inputTokens: 0, source: job.source },
    }));
    const also = {
      keys: [],
      write: (tx: Parameters<AlsoWrite["write"]>[0]) => tx.blindWrite(key, undefined),
    };
    const settled = await charges.end(job.hold, { used, also });
    // Its hold has lapsed as well.
    if (!settled) await this.#deps.kv.delete(key);
    return true;
  }
}
