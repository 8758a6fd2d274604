import type { Runtime } from "../../platform/runtime.ts";
import { keys } from "../../store/keys/keys.ts";

/** A process that follows a run for a client records it more often than this. */
const RECORD_INTERVAL_MS = 30_000;

/** Records which runs are followed through this process, and which of its runs through others. */
export class FollowRecords {
  readonly #kv: Deno.Kv;
  readonly #runtime: Pick<Runtime, "now">;
  /** The last record seen per run of this process. */
  readonly #seen = new Map<string, string | null>();

  constructor(kv: Deno.Kv, runtime: Pick<Runtime, "now">) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  /** Records that a run is followed, and notifies the process that owns it, if any. */
  async record(
    { tenant, runId, owner }: { tenant: string; runId: string; owner: string | undefined },
  ): Promise<void> {
    const ttl = { expireIn: 2 * RECORD_INTERVAL_MS };
    const step = this.#kv.atomic().set(keys.runFollowed(tenant, runId), this.#runtime.now(), ttl);
    if (owner !== undefined) step.set(keys.followWakeKey(owner), runId, ttl);
    await step.commit();
  }

  /**
   * True if another process has recorded a follower of this run since the last call. Compares
   * versionstamps, not times, because the clocks of processes differ.
   */
  async wasFollowed({ tenant, runId }: { tenant: string; runId: string }): Promise<boolean> {
    const { versionstamp } = await this.#kv.get(keys.runFollowed(tenant, runId));
    const isNew = versionstamp !== (this.#seen.get(runId) ?? null);
    this.#seen.set(runId, versionstamp);
    return versionstamp !== null && isNew;
  }

  forget(runId: string): void {
    this.#seen.delete(runId);
  }
}
