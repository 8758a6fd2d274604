import type { Logger } from "../../platform/log.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { type CanaryCounts, readCanaryCounts } from "../../store/agents/canary_counts.ts";
import type { PublicationStore } from "../../store/agents/publication_store.ts";
import type { StoredCanary, StoredEndedCanary } from "../../store/agents/stored_publication.ts";
import { runAs } from "../../store/audit/actor.ts";
import type { RunFacts } from "../../store/runs/run_record.ts";
import type { AlertStore } from "../../store/tenants/alert_store.ts";
import { canaryVerdict } from "./canary_verdict.ts";

interface CanaryWatchDeps {
  kv: Deno.Kv;
  store: Pick<PublicationStore, "get" | "endCanary">;
  alerts: Pick<AlertStore, "note">;
  runtime: Pick<Runtime, "now">;
  log: Logger;
}

type CountedRun = Pick<RunFacts, "tenant" | "agentId" | "canary">;

/** Ends canaries that are past their limits, after each of their answers and ratings. */
export class CanaryWatch {
  readonly #deps: CanaryWatchDeps;
  /** By the ids of their canaries. True if there was another answer since the check began. */
  readonly #checking = new Map<string, { again: boolean; done: Promise<void> }>();

  constructor(deps: CanaryWatchDeps) {
    this.#deps = deps;
  }

  /** What became of the conversations of a canary. */
  counts(
    { tenant, id }: { tenant: string; id: string },
    canary: StoredCanary | StoredEndedCanary,
  ): Promise<CanaryCounts> {
    const { kv, runtime } = this.#deps;
    return readCanaryCounts(kv, { tenant, agentId: id, canary, now: runtime.now() });
  }

  /** A run was settled, or its rating changed. Many of them share a check. */
  note(run: CountedRun): void {
    if (run.canary?.arm !== "canary") return;
    const { id } = run.canary;
    const current = this.#checking.get(id);
    if (current !== undefined) current.again = true;
    else {
      // Not the sender of the message after which it is past a limit.
      const done = runAs({ kind: "service" }, () => this.#check(run, id));
      this.#checking.set(id, { again: false, done });
    }
  }

  /** Resolves when no check is in progress. */
  async close(): Promise<void> {
    while (this.#checking.size > 0) {
      await Promise.all([...this.#checking.values()].map(({ done }) => done));
    }
  }

  async #check(run: CountedRun, id: string): Promise<void> {
    try {
      do {
        // Also lets `note` store the entry first.
        await Promise.resolve();
        this.#checking.get(id)!.again = false;
        await this.#rollBackIfPast(run, id);
      } while (this.#checking.get(id)!.again);
    } catch (error) {
      // The next answer is a reason to look again.
      this.#deps.log.error("cannot check a canary", { agentId: run.agentId, error: String(error) });
    } finally {
      this.#checking.delete(id);
    }
  }

  async #rollBackIfPast({ tenant, agentId }: CountedRun, id: string): Promise<void> {
    const { store, alerts, log } = this.#deps;
    const name = { tenant, id: agentId };
    const canary = (await store.get(name))?.publication?.canary;
    if (canary?.id !== id) return;
    const reason = canaryVerdict(await this.counts(name, canary), canary.limits);
    if (reason === undefined) return;
    const result = await store.endCanary(name, { id, outcome: "rolled_back", reason });
    if ("rejected" in result) return;
    alerts.note(tenant, "canary_rolled_back", { name: agentId, detail: reason });
    log.warn("a canary was rolled back", { agentId, version: canary.version, reason });
  }
}
