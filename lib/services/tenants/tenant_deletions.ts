import type { RunRegistry } from "../../chat/run_registry.ts";
import type { TrialJobs } from "../../chat/trial/trial_jobs.ts";
import type { Logger } from "../../platform/log.ts";
import { PeriodicTask } from "../../platform/periodic_task.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { runAs } from "../../store/audit/actor.ts";
import type { IsDue, TenantData } from "../../store/tenants/tenant_data.ts";
import type {
  BeginResult,
  TenantDeletionStore,
} from "../../store/tenants/tenant_deletion_store.ts";

/** Between two looks at work that is to end, and between two passes. */
const PENDING_MS = 2_000;
/** While a deletion only waits. */
const WAITING_MS = 60_000;
/** A deletion that another process has left unfinished is found after this time at most. */
const IDLE_MS = 5 * 60_000;
/** Work that has not ended after this long is not waited for: its records may be unreadable. */
const MAX_WORK_MS = 15 * 60_000;
/**
 * No request, run or job that began before the deletion lasts longer. What they have written meanwhile is
 * found by the pass after it.
 */
export const QUIET_MS = 10 * 60_000;

interface TenantDeletionsDeps {
  deletions: TenantDeletionStore;
  data: TenantData;
  runs: Pick<RunRegistry, "cancelRunsOf">;
  trialJobs: Pick<TrialJobs, "stopAllOf">;
  runtime: Runtime;
  log: Logger;
}

/** What a deletion needs next; `waiting` until nothing can write any more. */
type Progress = "done" | "working" | "waiting";

/**
 * Deletes tenants with everything of theirs. The order matters: first no request is accepted, then all work
 * ends, then everything is deleted, and later what was written meanwhile. Each step can be repeated, by any
 * process, so a crash loses nothing.
 */
export class TenantDeletions {
  readonly #deps: TenantDeletionsDeps;
  readonly #task: PeriodicTask;
  /** Until the first look, an earlier process may have left some. */
  #next: Progress = "working";
  #isClosed = false;

  constructor(deps: TenantDeletionsDeps) {
    this.#deps = deps;
    const everyMs = () => ({ working: PENDING_MS, waiting: WAITING_MS, done: IDLE_MS })[this.#next];
    this.#task = new PeriodicTask(deps.runtime, { everyMs, work: () => this.sweep() });
  }

  /** Continues unfinished deletions until closed. */
  start(): void {
    this.#task.start();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#task.stop();
  }

  /** Begins to delete a tenant. Rejected for the default tenant, and for one that has operators. */
  async begin(tenant: string): Promise<BeginResult> {
    const begun = await this.#deps.deletions.begin(tenant);
    if (begun !== "begun") return begun;
    await this.#stopWork(tenant);
    this.#next = "working";
    this.#task.start();
    this.#task.reschedule();
    return begun;
  }

  /** Goes on with every unfinished deletion. Never throws. */
  async sweep(): Promise<void> {
    try {
      const pending = await this.#deps.deletions.pending();
      const states: Progress[] = [];
      for (const tenant of pending) states.push(await this.#attempt(tenant));
      this.#next = (["working", "waiting"] as const).find((one) => states.includes(one)) ?? "done";
    } catch (error) {
      this.#next = "working";
      this.#deps.log.error("could not look for tenants to delete", { error });
    }
    this.#task.reschedule();
  }

  /** A failure is logged and left to the next attempt. */
  async #attempt(tenant: string): Promise<Progress> {
    try {
      return await runAs({ kind: "service" }, () => this.#delete(tenant, () => this.#isClosed));
    } catch (error) {
      this.#deps.log.error("could not delete a tenant", { tenant, error });
      return "working";
    }
  }

  async #delete(tenant: string, isDue: IsDue): Promise<Progress> {
    const { deletions, data, runtime, log } = this.#deps;
    const deletion = await deletions.get(tenant);
    if (deletion === undefined) return "done";
    const { startedAt, clearedAt } = deletion;
    if (clearedAt !== undefined && runtime.now() - clearedAt < QUIET_MS) return "waiting";
    const isLate = runtime.now() - startedAt > MAX_WORK_MS;
    if (!await this.#stopWork(tenant) && !isLate) return "working";
    const { deleted, isComplete } = await data.delete(tenant, isDue);
    if (!isComplete) return "working";
    if (clearedAt === undefined || deleted > 0) {
      await deletions.noteCleared(tenant);
      return "waiting";
    }
    await deletions.finish(tenant);
    log.info("tenant deleted", { tenant });
    return "done";
  }

  /** Asks everything to end; true if nothing runs any more. */
  async #stopWork(tenant: string): Promise<boolean> {
    const { runs, trialJobs } = this.#deps;
    const running = await runs.cancelRunsOf(tenant) + await trialJobs.stopAllOf(tenant);
    return running === 0;
  }
}
