import { PeriodicTask } from "../platform/periodic_task.ts";
import type { Logger } from "../platform/log.ts";
import type { AlertStore } from "../store/tenants/alert_store.ts";
import type { ConversationStore } from "../store/conversations/conversation_store.ts";
import {
  backfillRunUsage,
  type ConversationUsage,
  readConversationUsage,
} from "../store/conversations/conversation_usage.ts";
import { type Quotas, quotasOf, type TenantStore } from "../store/tenants/tenant_store.ts";
import type { Runtime } from "../platform/runtime.ts";

/** How often tenants with new chats are measured. */
const MEASURE_EVERY_MS = 60_000;
/** A tenant that stores this much is measured immediately. */
const MEASURE_BYTES = 4 * 1_048_576;
/** Nothing is stored beyond this share of a quota, in case a flood outruns deletion. */
const MOST_SHARE = 1.1;

interface Parts {
  kv: Deno.Kv;
  runtime: Runtime;
  log: Logger;
  tenants: Pick<TenantStore, "plan">;
  store: Pick<ConversationStore, "delete" | "oldestFirst">;
  attention: Pick<AlertStore, "note">;
}

/** What this process knows of one tenant. */
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
  readonly #parts: Parts;
  readonly #tenants = new Map<string, TenantState>();
  readonly #measuring: PeriodicTask;
  #isClosed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    const work = () => this.#measureAll();
    this.#measuring = new PeriodicTask(parts.runtime, { everyMs: MEASURE_EVERY_MS, work });
  }

  /** Whether new messages may be stored, judged from memory alone. */
  hasCapacity(tenant: string): boolean {
    const known = this.#tenants.get(tenant);
    if (known === undefined || fits(known, MOST_SHARE)) return true;
    this.#parts.attention.note(tenant, "conversations_full", { name: "not_stored", detail: "" });
    this.#measure(tenant, known);
    return false;
  }

  /** Records that a run was stored. */
  recordStored(tenant: string, bytes: number): void {
    if (this.#isClosed) return;
    const known = this.#tenants.get(tenant) ?? newlyKnown();
    this.#tenants.set(tenant, known);
    known.added.runs++;
    known.added.bytes += bytes;
    this.#measuring.start();
    if (!fits(known) || known.added.bytes > MEASURE_BYTES) this.#measure(tenant, known);
  }

  /** Resolves when every tenant that has chatted is within its plan. */
  async enforceAll(): Promise<void> {
    await this.#measureAll();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#measuring.stop();
    await Promise.all([...this.#tenants.values()].map(({ measuring }) => measuring));
  }

  async #measureAll(): Promise<void> {
    for (const [tenant, known] of this.#tenants) {
      const isQuiet = known.measured !== undefined && known.added.runs === 0;
      // Measure a tenant over its quota again: data may have been deleted or the quota raised.
      if (isQuiet && fits(known)) this.#tenants.delete(tenant);
      else await this.#measure(tenant, known);
    }
    if (this.#tenants.size === 0) void this.#measuring.stop();
  }

  #measure(tenant: string, known: TenantState): Promise<void> {
    known.measuring ??= this.#trim(tenant, known)
      .catch((error) => this.#parts.log.error("cannot trim conversations", { tenant, error }))
      .finally(() => known.measuring = undefined);
    return known.measuring;
  }

  async #trim(tenant: string, known: TenantState): Promise<void> {
    const { kv, runtime, tenants, store, attention } = this.#parts;
    await backfillRunUsage(kv, { tenant, now: runtime.now() });
    known.quotas = quotasOf(await tenants.plan(tenant));
    await this.#read(tenant, known);
    if (fits(known)) return;
    let deleted = 0;
    for await (const name of store.oldestFirst(tenant)) {
      if (this.#isClosed) return;
      await store.delete(name);
      deleted++;
      await this.#read(tenant, known);
      if (fits(known)) break;
    }
    attention.note(tenant, "conversations_full", { name: "deleted", detail: "" });
    this.#parts.log.warn("deleted the oldest conversations: the plan's quota is full", {
      ...{ tenant, deleted },
    });
  }

  async #read(tenant: string, known: TenantState): Promise<void> {
    const { kv, runtime } = this.#parts;
    // Runs stored meanwhile may be counted twice until the next measurement, but never missed.
    known.added = { runs: 0, bytes: 0 };
    known.measured = await readConversationUsage(kv, { tenant, now: runtime.now() });
  }
}

function newlyKnown(): TenantState {
  const added = { runs: 0, bytes: 0 };
  return { measured: undefined, quotas: undefined, added, measuring: undefined };
}

/** Whether known usage is at most this share of the quotas; true before the first measurement. */
function fits({ measured, quotas, added }: TenantState, share = 1): boolean {
  if (measured === undefined || quotas === undefined) return true;
  return measured.runs + added.runs <= quotas.conversationRuns * share &&
    measured.bytes + added.bytes <= quotas.conversationBytes * share;
}
