import { monotonicNow, type Runtime } from "../platform/runtime.ts";
import { hasExpired, HEARTBEAT_MS, type Lease } from "./ledger.ts";

/** A live process renews its leases within this time, even if one renewal is lost and one is slow. */
export const SILENCE_TIMEOUT_MS = 4 * HEARTBEAT_MS;

/**
 * Detects dead processes by leases that do not change: one that stayed the same for 20 s of this process's
 * own elapsed time is orphaned. Clocks differ between processes and get adjusted, so the time in a lease
 * decides only if it is minutes ago, for processes that never run long.
 */
export class FailureDetector {
  readonly #runtime: Pick<Runtime, "now">;
  readonly #elapsed: () => number;
  /** The clock minus the elapsed time, at the start. */
  readonly #offset: number;
  readonly #seen = new Map<string, { until: number; since: number }>();

  /** `elapsed`: milliseconds of a clock that is never adjusted. */
  constructor(
    runtime: Pick<Runtime, "now">,
    { elapsed = () => monotonicNow(runtime) }: { elapsed?: () => number } = {},
  ) {
    this.#runtime = runtime;
    this.#elapsed = elapsed;
    this.#offset = runtime.now() - elapsed();
  }

  /** True if no process runs the run any more, judging by its current lease. */
  isDead(runId: string, lease: Lease | undefined): boolean {
    // It was settled, or never admitted.
    if (lease === undefined) return true;
    const elapsed = this.#elapsed();
    // A clock that was set forward since the start must not end the runs of others.
    const now = Math.min(this.#runtime.now(), this.#offset + elapsed);
    if (hasExpired(lease, now)) return true;
    const { until } = lease;
    const seen = this.#seen.get(runId);
    if (seen?.until === until) return elapsed - seen.since >= SILENCE_TIMEOUT_MS;
    this.#seen.set(runId, { until, since: elapsed });
    return false;
  }

  retainOnly(runIds: ReadonlySet<string>): void {
    for (const runId of this.#seen.keys()) if (!runIds.has(runId)) this.#seen.delete(runId);
  }
}
