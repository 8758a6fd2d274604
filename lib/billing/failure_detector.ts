import { monotonicNow, type Runtime } from "../platform/runtime.ts";
import { hasExpired, HEARTBEAT_MS, type Lease } from "./ledger.ts";

/** A live process has renewed its leases in this time, even if one renewal was lost and took long. */
export const SILENCE_TIMEOUT_MS = 4 * HEARTBEAT_MS;

/**
 * Tells dead processes from live ones by what it sees change: a lease that has stayed the same for 20 s
 * of this process's own time is nobody's. Clocks of processes differ and are set, so that the time in a
 * lease says little; it decides only when it is minutes ago, for a process that is never up for long.
 */
export class FailureDetector {
  readonly #runtime: Pick<Runtime, "now">;
  readonly #elapsed: () => number;
  /** What the clock was ahead of the time that has passed when the watch began. */
  readonly #ahead: number;
  readonly #seen = new Map<string, { until: number; since: number }>();

  /** `elapsed`: milliseconds that setting the clock does not move. */
  constructor(
    runtime: Pick<Runtime, "now">,
    { elapsed: passed = () => monotonicNow(runtime) }: { elapsed?: () => number } = {},
  ) {
    this.#runtime = runtime;
    this.#elapsed = passed;
    this.#ahead = runtime.now() - passed();
  }

  /** Whether nobody runs the run any more, its lease being as it is now. */
  isDead(runId: string, lease: Lease | undefined): boolean {
    // It has been settled, or never was let in.
    if (lease === undefined) return true;
    const passed = this.#elapsed();
    // A clock that was set forward since, or was wrong at first, must not end what others run.
    if (hasExpired(lease, Math.min(this.#runtime.now(), this.#ahead + passed))) return true;
    const { until } = lease;
    const seen = this.#seen.get(runId);
    if (seen?.until === until) return passed - seen.since >= SILENCE_TIMEOUT_MS;
    this.#seen.set(runId, { until, since: passed });
    return false;
  }

  /** Forgets all runs but these. */
  retainOnly(runIds: ReadonlySet<string>): void {
    for (const runId of this.#seen.keys()) if (!runIds.has(runId)) this.#seen.delete(runId);
  }
}
