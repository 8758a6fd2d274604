import { keys } from "../store/keys/keys.ts";
import type { Runtime } from "../platform/runtime.ts";

/** A run that is watched through another process says so more often than this. */
const WATCHED_FOR_MS = 30_000;

/** Records which runs are followed through this process, and finds which of its own are through others. */
export class WatchRecords {
  readonly #kv: Deno.Kv;
  readonly #runtime: Pick<Runtime, "now">;
  /** Of runs of this process: the note that was found last. */
  readonly #found = new Map<string, string | null>();

  constructor(kv: Deno.Kv, runtime: Pick<Runtime, "now">) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  /** Records that a run is followed; notifies `owner`, the process that runs it, when there is one. */
  async record(
    { tenant, runId, owner }: { tenant: string; runId: string; owner: string | undefined },
  ): Promise<void> {
    const kept = { expireIn: 2 * WATCHED_FOR_MS };
    const note = this.#kv.atomic().set(keys.runFollowed(tenant, runId), this.#runtime.now(), kept);
    if (owner !== undefined) note.set(keys.followWakeKey(owner), runId, kept);
    await note.commit();
  }

  /**
   * True if another process has recorded a follower of this run since the last call. Compares
   * versionstamps, not times, because the clocks of processes differ.
   */
  async wasWatched({ tenant, runId }: { tenant: string; runId: string }): Promise<boolean> {
    const { versionstamp } = await this.#kv.get(keys.runFollowed(tenant, runId));
    const isNews = versionstamp !== (this.#found.get(runId) ?? null);
    this.#found.set(runId, versionstamp);
    return versionstamp !== null && isNews;
  }

  /** The run has ended. */
  forget(runId: string): void {
    this.#found.delete(runId);
  }
}
