import type { Logger } from "../platform/log.ts";
import { PeriodicTask } from "../platform/periodic_task.ts";
import type { Runtime } from "../platform/runtime.ts";
import { keys } from "../store/keys/keys.ts";
import { type ActiveRun, activeRunSchema } from "../store/runs/active_run.ts";
import { parseRecord } from "../store/values/record.ts";
import type { Admission } from "./admission.ts";
import type { Charge } from "./decide_settlement.ts";
import type { FailureDetector } from "./failure_detector.ts";
import { ABANDONED, type Lease, type Ledger } from "./ledger.ts";
import { ledgerShardKeys } from "./ledger_shards.ts";

/** Together with the failure detector's timeout, an orphaned slot becomes free within 30 s. */
export const SWEEP_INTERVAL_MS = 10_000;
/** The interval when idle: without requests and runs of other processes, nobody waits for a slot. */
export const IDLE_INTERVAL_MS = 60_000;
/** How long sweeps stay frequent after a request; no run lasts longer. */
const ACTIVE_MS = 2 * 60_000;

/** Of thousands of runs that one process left, the last should not wait for all others one by one. */
const PARALLEL_SETTLEMENTS = 16;

interface OrphanedRunSweeperDeps {
  admission: Pick<Admission, "isRunning" | "isOwnLease">;
  failureDetector: FailureDetector;
  /** Settles an orphaned run; `undefined` if it is alive or was settled before. */
  settle: (run: ActiveRun, lease: Lease | undefined) => Promise<Charge | undefined>;
  runtime: Runtime;
  log: Logger;
}

/**
 * Settles the runs of processes that died: charges what they held, records them as interrupted and deletes
 * their records. Any number of processes may sweep at the same time; each run is settled once.
 */
export class OrphanedRunSweeper {
  #kv: Deno.Kv;
  #deps: OrphanedRunSweeperDeps;
  #sweeps: PeriodicTask;
  /** Records whose failure has been logged, so that not every sweep logs it. */
  #reported = new Set<string>();
  /** True until a sweep finds no runs of other processes. */
  #hasForeignRuns = true;
  #activeUntil = -Infinity;

  constructor(kv: Deno.Kv, deps: OrphanedRunSweeperDeps) {
    this.#kv = kv;
    this.#deps = deps;
    const everyMs = () => this.#isIdle() ? IDLE_INTERVAL_MS : SWEEP_INTERVAL_MS;
    this.#sweeps = new PeriodicTask(deps.runtime, { everyMs, work: () => this.sweep() });
  }

  /** Sweeps every 10 s, or every minute when idle, until closed. */
  start(): void {
    this.#hasForeignRuns = true;
    this.#sweeps.start();
  }

  /** To be called for each request, which may need a slot that a dead process holds. */
  wake(): void {
    const wasIdle = this.#isIdle();
    this.#activeUntil = this.#deps.runtime.now() + ACTIVE_MS;
    if (wasIdle) this.#sweeps.reschedule();
  }

  #isIdle(): boolean {
    return !this.#hasForeignRuns && this.#deps.runtime.now() >= this.#activeUntil;
  }

  /** Stops sweeping; resolves when the last sweep is done. */
  async close(): Promise<void> {
    await this.#sweeps.stop();
  }

  /**
   * Checks every active run once. Never throws: failures are logged and left to the next sweep. With
   * `alone` no other process can have the store open, so all runs of others are orphaned.
   */
  async sweep({ alone = false } = {}): Promise<void> {
    const { admission, failureDetector, log } = this.#deps;
    const failed = new Set<string>();
    this.#hasForeignRuns = true;
    try {
      const byTenant = await this.#listActiveRuns();
      const runIds = [...byTenant.values()].flat().map(runIdOf);
      this.#hasForeignRuns = !runIds.every((runId) => admission.isRunning(runId));
      failureDetector.retainOnly(new Set(runIds));
      for (const entries of byTenant.values()) {
        for (const name of await this.#sweepTenant(entries, alone)) failed.add(name);
      }
      this.#reported = failed;
    } catch (error) {
      log.error("the sweep of orphaned runs failed", { error });
    }
    // Another caller may have started this sweep, and it may have found leases to check again soon.
    this.#sweeps.reschedule();
  }

  async #listActiveRuns(): Promise<Map<string, Deno.KvEntry<unknown>[]>> {
    const list = this.#kv.list({ prefix: keys.activeRuns() }, { batchSize: 500 });
    return Map.groupBy(await Array.fromAsync(list), ({ key }) => String(key[1]));
  }

  /** Returns the names of records that could not be settled. */
  async #sweepTenant(entries: Deno.KvEntry<unknown>[], alone: boolean): Promise<string[]> {
    const { admission, failureDetector } = this.#deps;
    // This process renews the leases of its own runs.
    const foreign = entries.filter((entry) => !admission.isRunning(runIdOf(entry)));
    if (foreign.length === 0) return [];
    const leases = await this.#readLeases(String(foreign[0]!.key[1]));
    const failed: (string | undefined)[] = [];
    for (let i = 0; i < foreign.length; i += PARALLEL_SETTLEMENTS) {
      const some = foreign.slice(i, i + PARALLEL_SETTLEMENTS).map(async (entry) => {
        const lease = this.#leaseOf(entry, leases);
        try {
          const isDead = alone || failureDetector.isDead(runIdOf(entry), lease);
          if (isDead) await this.#settle(parseRecord(activeRunSchema, entry)!, lease);
        } catch (error) {
          return this.#reportFailure(entry, error);
        }
      });
      failed.push(...await Promise.all(some));
    }
    return failed.filter((name) => name !== undefined);
  }

  /** What shows that another process is alive which runs it, or that this one has given it up. */
  #leaseOf(entry: Deno.KvEntry<unknown>, leases: ReadonlyMap<string, Lease>): Lease | undefined {
    const { sharedLease } = (entry.value as Partial<ActiveRun> | null)?.accounts?.[0] ?? {};
    if (sharedLease === undefined) return leases.get(runIdOf(entry));
    return this.#deps.admission.isOwnLease(sharedLease) ? ABANDONED : leases.get(sharedLease);
  }

  /** By run id, or by the name of a shared lease. */
  async #readLeases(tenant: string): Promise<Map<string, Lease>> {
    const shards = await this.#kv.getMany<Ledger[]>(ledgerShardKeys(tenant));
    return new Map(shards.flatMap(({ value }) => Object.entries(value?.runs ?? {})));
  }

  async #settle(run: ActiveRun, lease: Lease | undefined): Promise<void> {
    const charge = await this.#deps.settle(run, lease);
    if (charge === undefined) return;
    const { runId, tenant } = run.run;
    const fields = { runId, tenant, chargedMicroUsd: charge.charged };
    this.#deps.log.warn("settled an orphaned run", fields);
  }

  #reportFailure(entry: Deno.KvEntry<unknown>, error: unknown): string {
    const name = entry.key.map(String).join(" ");
    if (!this.#reported.has(name)) {
      const fields = { runId: runIdOf(entry), error };
      this.#deps.log.error("an orphaned run could not be settled", fields);
    }
    return name;
  }
}

function runIdOf({ key }: Deno.KvEntry<unknown>): string {
  return String(key[2]);
}
