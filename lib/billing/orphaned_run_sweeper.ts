import type { Logger } from "../platform/log.ts";
import { keys } from "../store/keys/keys.ts";
import { parseRecord } from "../store/values/record.ts";
import type { Runtime } from "../platform/runtime.ts";
import type { Admission } from "./admission.ts";
import type { FailureDetector } from "./failure_detector.ts";
import type { Lease, Ledger } from "./ledger.ts";
import { ledgerShardKeys } from "./ledger_shards.ts";
import { type ActiveRun, activeRunSchema } from "../store/runs/active_run.ts";
import { PeriodicTask } from "../platform/periodic_task.ts";
import type { Charge } from "./decide_settlement.ts";

/** With the time that a dead process's lease is watched for, a slot comes free within 30 s. */
export const SWEEP_INTERVAL_MS = 10_000;
/** Interval at rest: with no requests and no runs of other processes, no client waits for a slot. */
export const IDLE_INTERVAL_MS = 60_000;
/** How long sweeps stay frequent after a request; no run lasts longer. */
const ACTIVE_MS = 2 * 60_000;

interface OrphanedRunSweeperDeps {
  admission: Pick<Admission, "isRunning">;
  failureDetector: FailureDetector;
  /** Settles one run with all it leaves behind; nothing when it goes on, or is settled. */
  settle: (live: ActiveRun, lease: Lease | undefined) => Promise<Charge | undefined>;
  runtime: Runtime;
  log: Logger;
}

/**
 * Settles the runs of processes that died: whoever is alive charges what they held, records them as
 * interrupted and clears them away. Any number of processes may sweep at once, each run is settled
 * once.
 */
export class OrphanedRunSweeper {
  #kv: Deno.Kv;
  #deps: OrphanedRunSweeperDeps;
  #sweeps: PeriodicTask;
  /** Entries whose trouble has been logged, so that it is not logged with every sweep. */
  #reported = new Set<string>();
  /** Whether other processes have runs; true until a sweep has found none. */
  #hasForeignRuns = true;
  #activeUntil = -Infinity;

  constructor(kv: Deno.Kv, parts: OrphanedRunSweeperDeps) {
    this.#kv = kv;
    this.#deps = parts;
    const everyMs = () => this.#isIdle() ? IDLE_INTERVAL_MS : SWEEP_INTERVAL_MS;
    this.#sweeps = new PeriodicTask(parts.runtime, { everyMs, work: () => this.sweep() });
  }

  /** Sweeps until closed: every 10 s, or every minute at rest. */
  start(): void {
    this.#hasForeignRuns = true;
    this.#sweeps.start();
  }

  /** Called for each request: it may need a slot that a dead process holds. */
  wake(): void {
    const wasAtRest = this.#isIdle();
    this.#activeUntil = this.#deps.runtime.now() + ACTIVE_MS;
    if (wasAtRest) this.#sweeps.reschedule();
  }

  #isIdle(): boolean {
    return !this.#hasForeignRuns && this.#deps.runtime.now() >= this.#activeUntil;
  }

  /** Ends the sweeps; resolves when the last of them is over. */
  async close(): Promise<void> {
    await this.#sweeps.stop();
  }

  /**
   * Looks at every live run once. Never throws: what fails is logged and left to the next sweep. With
   * `alone` no other process can have the store open, so that all runs of others are dead.
   */
  async sweep({ alone = false } = {}): Promise<void> {
    const troubled = new Set<string>();
    this.#hasForeignRuns = true;
    try {
      const live = await this.#listActiveRuns();
      const runIds = [...live.values()].flat().map(({ key }) => String(key[2]));
      this.#hasForeignRuns = !runIds.every((runId) => this.#deps.admission.isRunning(runId));
      this.#deps.failureDetector.retainOnly(new Set(runIds));
      for (const entries of live.values()) {
        for (const name of await this.#sweepTenant(entries, alone)) troubled.add(name);
      }
      this.#reported = troubled;
    } catch (error) {
      this.#deps.log.error("the sweep of dead runs failed", { error });
    }
    // The sweep may have been another caller's, and may have found leases to look at again soon.
    this.#sweeps.reschedule();
  }

  /** All entries, by their tenant. */
  async #listActiveRuns(): Promise<Map<string, Deno.KvEntry<unknown>[]>> {
    const list = this.#kv.list({ prefix: keys.activeRuns() }, { batchSize: 500 });
    return Map.groupBy(await Array.fromAsync(list), ({ key }) => String(key[1]));
  }

  /** Answers the names of entries that are in trouble. */
  async #sweepTenant(entries: Deno.KvEntry<unknown>[], alone: boolean): Promise<string[]> {
    // This process renews the leases of its own.
    const others = entries.filter(({ key }) => !this.#deps.admission.isRunning(String(key[2])));
    if (others.length === 0) return [];
    const leases = await this.#readLeases(String(others[0]!.key[1]));
    const troubled: string[] = [];
    for (const entry of others) {
      const runId = String(entry.key[2]);
      const lease = leases.get(runId);
      try {
        const isDead = alone || this.#deps.failureDetector.isDead(runId, lease);
        if (isDead) await this.#settle(parseRecord(activeRunSchema, entry)!, lease);
      } catch (error) {
        troubled.push(this.#reportFailure(entry, error));
      }
    }
    return troubled;
  }

  /** The leases of a tenant's runs, in all shards of its ledger. */
  async #readLeases(tenant: string): Promise<Map<string, Lease>> {
    const shards = await this.#kv.getMany<Ledger[]>(ledgerShardKeys(tenant));
    return new Map(shards.flatMap(({ value }) => Object.entries(value?.runs ?? {})));
  }

  async #settle(live: ActiveRun, lease: Lease | undefined): Promise<void> {
    const charge = await this.#deps.settle(live, lease);
    if (charge === undefined) return;
    const { runId, tenant } = live.run;
    const facts = { runId, tenant, chargedMicroUsd: charge.charged };
    this.#deps.log.warn("settled a run whose process died", facts);
  }

  #reportFailure({ key }: Deno.KvEntry<unknown>, error: unknown): string {
    const name = key.map(String).join(" ");
    if (!this.#reported.has(name)) {
      this.#deps.log.error("a dead run could not be settled", { runId: String(key[2]), error });
    }
    return name;
  }
}
