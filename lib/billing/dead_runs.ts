import type { Logger } from "../platform/log.ts";
import { keys } from "../store/keys/keys.ts";
import { parseRecord } from "../store/values/record.ts";
import type { Runtime } from "../platform/runtime.ts";
import type { Admission } from "./admission.ts";
import type { LeaseWatch } from "./lease_watch.ts";
import type { Lease, Ledger } from "./ledger.ts";
import { ledgerShardKeys } from "./ledger_shards.ts";
import { type ActiveRun, activeRunSchema } from "../store/runs/active_run.ts";
import { Repeating } from "./repeating.ts";
import type { Charge } from "./settle_run.ts";

/** With the time that a dead process's lease is watched for, a slot comes free within 30 s. */
export const SWEEP_MS = 10_000;
/** Interval at rest: with no requests and no runs of other processes, no client waits for a slot. */
export const REST_MS = 60_000;
/** How long sweeps stay frequent after a request; no run lasts longer. */
const AWAKE_MS = 2 * 60_000;

interface Parts {
  admission: Pick<Admission, "isRunning">;
  leases: LeaseWatch;
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
export class DeadRuns {
  #kv: Deno.Kv;
  #parts: Parts;
  #sweeps: Repeating;
  /** Entries whose trouble has been logged, so that it is not logged with every sweep. */
  #told = new Set<string>();
  /** Whether other processes have runs; true until a sweep has found none. */
  #othersRun = true;
  #awakeUntil = -Infinity;

  constructor(kv: Deno.Kv, parts: Parts) {
    this.#kv = kv;
    this.#parts = parts;
    const everyMs = () => this.#isAtRest() ? REST_MS : SWEEP_MS;
    this.#sweeps = new Repeating(parts.runtime, { everyMs, work: () => this.sweep() });
  }

  /** Sweeps until closed: every 10 s, or every minute at rest. */
  start(): void {
    this.#othersRun = true;
    this.#sweeps.start();
  }

  /** Called for each request: it may need a slot that a dead process holds. */
  awaken(): void {
    const wasAtRest = this.#isAtRest();
    this.#awakeUntil = this.#parts.runtime.now() + AWAKE_MS;
    if (wasAtRest) this.#sweeps.hurry();
  }

  #isAtRest(): boolean {
    return !this.#othersRun && this.#parts.runtime.now() >= this.#awakeUntil;
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
    this.#othersRun = true;
    try {
      const live = await this.#liveRuns();
      const runIds = [...live.values()].flat().map(({ key }) => String(key[2]));
      this.#othersRun = !runIds.every((runId) => this.#parts.admission.isRunning(runId));
      this.#parts.leases.keepOnly(new Set(runIds));
      for (const entries of live.values()) {
        for (const name of await this.#sweepTenant(entries, alone)) troubled.add(name);
      }
      this.#told = troubled;
    } catch (error) {
      this.#parts.log.error("the sweep of dead runs failed", { error });
    }
    // The sweep may have been another caller's, and may have found leases to look at again soon.
    this.#sweeps.hurry();
  }

  /** All entries, by their tenant. */
  async #liveRuns(): Promise<Map<string, Deno.KvEntry<unknown>[]>> {
    const list = this.#kv.list({ prefix: keys.activeRuns() }, { batchSize: 500 });
    return Map.groupBy(await Array.fromAsync(list), ({ key }) => String(key[1]));
  }

  /** Answers the names of entries that are in trouble. */
  async #sweepTenant(entries: Deno.KvEntry<unknown>[], alone: boolean): Promise<string[]> {
    // This process renews the leases of its own.
    const others = entries.filter(({ key }) => !this.#parts.admission.isRunning(String(key[2])));
    if (others.length === 0) return [];
    const leases = await this.#leasesOf(String(others[0]!.key[1]));
    const troubled: string[] = [];
    for (const entry of others) {
      const runId = String(entry.key[2]);
      const lease = leases.get(runId);
      try {
        const isDead = alone || this.#parts.leases.isDead(runId, lease);
        if (isDead) await this.#settle(parseRecord(activeRunSchema, entry)!, lease);
      } catch (error) {
        troubled.push(this.#tell(entry, error));
      }
    }
    return troubled;
  }

  /** The leases of a tenant's runs, in all shards of its ledger. */
  async #leasesOf(tenant: string): Promise<Map<string, Lease>> {
    const shards = await this.#kv.getMany<Ledger[]>(ledgerShardKeys(tenant));
    return new Map(shards.flatMap(({ value }) => Object.entries(value?.runs ?? {})));
  }

  async #settle(live: ActiveRun, lease: Lease | undefined): Promise<void> {
    const charge = await this.#parts.settle(live, lease);
    if (charge === undefined) return;
    const { runId, tenant } = live.run;
    const facts = { runId, tenant, chargedMicroUsd: charge.charged };
    this.#parts.log.warn("settled a run whose process died", facts);
  }

  #tell({ key }: Deno.KvEntry<unknown>, error: unknown): string {
    const name = key.map(String).join(" ");
    if (!this.#told.has(name)) {
      this.#parts.log.error("a dead run could not be settled", { runId: String(key[2]), error });
    }
    return name;
  }
}
