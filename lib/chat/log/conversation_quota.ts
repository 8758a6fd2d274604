import { PeriodicTask } from "../../platform/periodic_task.ts";
import type { Logger } from "../../platform/log.ts";
import type { AlertStore } from "../../store/tenants/alert_store.ts";
import type { ConversationStore } from "../../store/conversations/conversation_store.ts";
import {
  backfillRunUsage,
  type ConversationUsage,
  readConversationUsage,
} from "../../store/conversations/conversation_usage.ts";
import { type Quotas, quotasOf, type TenantStore } from "../../store/tenants/tenant_store.ts";
import type { Runtime } from "../../platform/runtime.ts";

/** Tenants with new chats are measured this often. */
const MEASURE_EVERY_MS = 60_000;
/** A tenant that stores this much is measured immediately. */
const MEASURE_BYTES = 4 * 1_048_576;
/** Nothing is stored beyond this share of a quota, in case a flood outruns deletion. */
const MAX_SHARE = 1.1;

export interface ConversationQuotaDeps {
  kv: Deno.Kv;
  runtime: Runtime;
  log: Logger;
  tenants: Pick<TenantStore, "plan">;
  store: Pick<ConversationStore, "delete" | "oldestFirst">;
  alerts: Pick<AlertStore, "note">;
}

interface TenantState {
  measured: ConversationUsage | undefined;
  quotas: Quotas | undefined;
  /** Stored by this process since it was measured. */
  added: ConversationUsage;
  measuring: Promise<void> | undefined;
}

/**
 * Keeps each tenant's conversations within its plan. Chats are never rejected or delayed; instead, the
 * least recently active conversations are deleted early. If a flood outruns deletion, new conversations
 * are not stored. The tenant is notified of both.
 */
export class ConversationQuota {
  readonly #deps: ConversationQuotaDeps;
  readonly #tenants = new Map<string, TenantState>();
  readonly #measuring: PeriodicTask;
  #isClosed = false;

  constructor(deps: ConversationQuotaDeps) {
    this.#deps = deps;
    const work = () => this.enforceAll();
    this.#measuring = new PeriodicTask(deps.runtime, { everyMs: MEASURE_EVERY_MS, work });
  }

  /** Whether new messages may be stored, judged from memory. */
  hasCapacity(tenant: string): boolean {
    const state = this.#tenants.get(tenant);
    if (state === undefined || fits(state, MAX_SHARE)) return true;
    this.#deps.alerts.note(tenant, "conversations_full", { name: "not_stored", detail: "" });
    this.#measure(tenant, state);
    return false;
  }

  recordStored(tenant: string, bytes: number): void {
    if (this.#isClosed) return;
    const state = this.#tenants.get(tenant) ?? newState();
    this.#tenants.set(tenant, state);
    state.added.runs++;
    state.added.bytes += bytes;
    this.#measuring.start();
    if (!fits(state) || state.added.bytes > MEASURE_BYTES) this.#measure(tenant, state);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#measuring.stop();
    await Promise.all([...this.#tenants.values()].map(({ measuring }) => measuring));
  }

  /** Resolves when every tenant that has chatted is within its plan. */
  async enforceAll(): Promise<void> {
    for (const [tenant, state] of this.#tenants) {
      const isQuiet = state.measured !== undefined && state.added.runs === 0;
      // Measure a tenant over its quota again: data may have been deleted or the quota raised.
      if (isQuiet && fits(state)) this.#tenants.delete(tenant);
      else await this.#measure(tenant, state);
    }
    if (this.#tenants.size === 0) void this.#measuring.stop();
  }

  #measure(tenant: string, state: TenantState): Promise<void> {
    state.measuring ??= this.#trim(tenant, state)
      .catch((error) => this.#deps.log.error("cannot trim conversations", { tenant, error }))
      .finally(() => state.measuring = undefined);
    return state.measuring;
  }

  async #trim(tenant: string, state: TenantState): Promise<void> {
    const { kv, runtime, tenants, store, alerts } = this.#deps;
    await backfillRunUsage(kv, { tenant, now: runtime.now() });
    state.quotas = quotasOf(await tenants.plan(tenant));
    await this.#read(tenant, state);
    if (fits(state)) return;
    let deleted = 0;
    for await (const name of store.oldestFirst(tenant)) {
      if (this.#isClosed) return;
      await store.delete(name);
      deleted++;
      await this.#read(tenant, state);
      if (fits(state)) break;
    }
    alerts.note(tenant, "conversations_full", { name: "deleted", detail: "" });
    this.#deps.log.warn("deleted the oldest conversations: the plan's quota is full", {
      ...{ tenant, deleted },
    });
  }

  async #read(tenant: string, state: TenantState): Promise<void> {
    const { kv, runtime } = this.#deps;
    // Runs stored meanwhile may be counted twice until the next measurement, but never missed.
    state.added = { runs: 0, bytes: 0 };
    state.measured = await readConversationUsage(kv, { tenant, now: runtime.now() });
  }
}

function newState(): TenantState {
  const added = { runs: 0, bytes: 0 };
  return { measured: undefined, quotas: undefined, added, measuring: undefined };
}

/** True if usage is at most this share of the quotas, or not measured yet. */
function fits({ measured, quotas, added }: TenantState, share = 1): boolean {
  if (measured === undefined || quotas === undefined) return true;
  return measured.runs + added.runs <= quotas.conversationRuns * share &&
    measured.bytes + added.bytes <= quotas.conversationBytes * share;
}
