import type { System } from "../system.ts";
import { HEARTBEAT_MS, isOver, type Lease } from "./ledger.ts";

/** A live process has renewed its leases in this time, even if one renewal was lost and took long. */
export const SILENT_MS = 4 * HEARTBEAT_MS;

/**
 * Tells dead processes from live ones by what it sees change: a lease that has stayed the same for 20 s
 * of this process's own time is nobody's. Clocks of processes differ, so that the time in a lease says
 * little; it decides only when it is minutes ago, for a process that is never up for long.
 */
export class LeaseWatch {
  readonly #system: Pick<System, "now">;
  readonly #seen = new Map<string, { until: number; since: number }>();

  constructor(system: Pick<System, "now">) {
    this.#system = system;
  }

  /** Whether nobody runs the run any more, its lease being as it is now. */
  isDead(runId: string, lease: Lease | undefined): boolean {
    // It has been settled, or never was let in.
    if (lease === undefined) return true;
    const now = this.#system.now();
    if (isOver(lease, now)) return true;
    const { until } = lease;
    const seen = this.#seen.get(runId);
    if (seen?.until === until) return now - seen.since >= SILENT_MS;
    this.#seen.set(runId, { until, since: now });
    return false;
  }

  /** Forgets all runs but these. */
  keepOnly(runIds: ReadonlySet<string>): void {
    for (const runId of this.#seen.keys()) if (!runIds.has(runId)) this.#seen.delete(runId);
  }
}
