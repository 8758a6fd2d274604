import type { RunRegistry } from "../../chat/run_registry.ts";
import type { TrialJobs } from "../../chat/trial/trial_jobs.ts";
import type { StateChange, TenantStateStore } from "../../store/tenants/tenant_state_store.ts";

interface TenantLifecycleDeps {
  states: TenantStateStore;
  runs: Pick<RunRegistry, "cancelRunsOf">;
  trialJobs: Pick<TrialJobs, "stopAllOf">;
}

/** What operators do with a tenant as a whole. */
export class TenantLifecycle {
  readonly #deps: TenantLifecycleDeps;

  constructor(deps: TenantLifecycleDeps) {
    this.#deps = deps;
  }

  rename(id: string, name: string): Promise<StateChange> {
    return this.#deps.states.rename(id, name);
  }

  /**
   * No request of the tenant is accepted once this has returned, in any process, and its runs are asked to
   * stop. Repeating it asks again, for example after a crash.
   */
  async suspend(id: string, reason: string): Promise<StateChange> {
    const changed = await this.#deps.states.suspend(id, reason);
    // After the change, so that no run is admitted later.
    if (changed === "changed" || changed === "unchanged") await this.#stopWork(id);
    return changed;
  }

  resume(id: string): Promise<StateChange> {
    return this.#deps.states.resume(id);
  }

  async #stopWork(tenant: string): Promise<void> {
    await this.#deps.runs.cancelRunsOf(tenant);
    await this.#deps.trialJobs.stopAllOf(tenant);
  }
}
