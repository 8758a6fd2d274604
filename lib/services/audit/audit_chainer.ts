import type { Logger } from "../../platform/log.ts";
import { PeriodicTask } from "../../platform/periodic_task.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { INSTALLATION } from "../../store/audit/audit_record.ts";
import type { AuditChainStore } from "../../store/audit/audit_chain_store.ts";
import { auditDaysOf, type TenantStore } from "../../store/tenants/tenant_store.ts";
import type { AuditUpkeep } from "./audit_upkeep.ts";

/** Between two looks for entries to chain: their hashes wait in the queue, and an idle look costs a list. */
const PAUSE_MS = 5 * 60_000;
/** Soon after the start, for what the previous process left. */
const FIRST_PAUSE_MS = 5_000;
/** Each lost step means that another process has chained some. */
const MAX_LOST_STEPS = 20;

interface AuditChainerDeps {
  chains: AuditChainStore;
  tenants: Pick<TenantStore, "plan">;
  upkeep: AuditUpkeep;
  runtime: Runtime;
  log: Logger;
}

/**
 * Chains the entries of all audit logs in the background, so that no change waits for it. Any number of
 * processes may do so; what one leaves unfinished another one finds.
 */
export class AuditChainer {
  readonly #deps: AuditChainerDeps;
  readonly #task: PeriodicTask;
  /** When the next sweep is due, milliseconds; `undefined` before the first. */
  #nextAt: number | undefined;
  #isClosed = false;

  constructor(deps: AuditChainerDeps) {
    this.#deps = deps;
    const everyMs = () => this.#nextAt === undefined ? FIRST_PAUSE_MS : PAUSE_MS;
    this.#task = new PeriodicTask(deps.runtime, { everyMs, work: () => this.sweep() });
  }

  start(): void {
    this.#task.start();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#task.stop();
  }

  /** For hosts that wake a process every minute. */
  async sweepIfDue(): Promise<void> {
    if (this.#deps.runtime.now() >= (this.#nextAt ?? 0)) await this.sweep();
  }

  /** Chains every entry that waits, and once an hour does the upkeep. Never throws. */
  async sweep(): Promise<void> {
    const { upkeep, runtime, log } = this.#deps;
    this.#nextAt = runtime.now() + PAUSE_MS;
    const isDue = () => this.#isClosed;
    try {
      const isUpkeep = await upkeep.claim();
      if (isUpkeep) await upkeep.scan(isDue);
      await this.#chainAll();
      if (isUpkeep) await upkeep.signAndPrune(isDue);
    } catch (error) {
      log.error("could not chain the audit logs", { error });
    }
  }

  /** Chains the queued entries of one log, for a caller that is about to read its chain. Throws store errors. */
  async chain(tenant: string): Promise<void> {
    const { chains, tenants, log } = this.#deps;
    const plan = tenant === INSTALLATION ? undefined : await tenants.plan(tenant);
    for (let lost = 0; lost < MAX_LOST_STEPS && !this.#isClosed;) {
      const { state, isHeadWrong } = await chains.append(tenant, plan && auditDaysOf(plan));
      if (isHeadWrong) {
        log.error("the head of an audit log was behind its last link: somebody set it back", {
          log: tenant,
        });
      }
      if (state === "empty") return;
      if (state === "lost") lost++;
    }
  }

  /** One log that cannot be chained does not stop the others. */
  async #chainAll(): Promise<void> {
    const { chains, log } = this.#deps;
    let tenant = await chains.nextQueued();
    while (tenant !== undefined && !this.#isClosed) {
      const own = tenant;
      await this.chain(own).catch((error) =>
        log.error("could not chain an audit log", { log: own, error })
      );
      tenant = await chains.nextQueued(own);
    }
  }
}
