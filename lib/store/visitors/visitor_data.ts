import type { ConversationStore } from "../conversations/conversation_store.ts";
import type { IndexValue } from "../conversations/conversation_index.ts";
import { type ConversationName, keys } from "../keys/keys.ts";
import { deleteKeys } from "../values/chunks.ts";
import type { VisitorName } from "./erasure_store.ts";

/** True if the rest is to be left to a later attempt. */
export type IsDue = () => boolean;

/**
 * What the store has of a visitor besides the conversations' own records. Records are not validated: one
 * that no version can read must be deleted too.
 */
export class VisitorData {
  readonly #kv: Deno.Kv;
  readonly #conversations: Pick<ConversationStore, "delete" | "listRunKeys">;

  constructor(kv: Deno.Kv, conversations: Pick<ConversationStore, "delete" | "listRunKeys">) {
    this.#kv = kv;
    this.#conversations = conversations;
  }

  /** No run of the visitor is admitted once its sessions are gone. */
  async deleteSessions({ tenant, visitor }: VisitorName): Promise<void> {
    const prefix = keys.sessions(tenant);
    for await (const { key, value } of this.#kv.list<StoredSession>({ prefix })) {
      if (value?.visitor?.hash === visitor) await this.#kv.delete(key);
    }
  }

  /** Deletes what repeated messages are recognized by. Call it before the runs are deleted. */
  async deleteReceipts({ tenant, visitor }: VisitorName): Promise<void> {
    const prefix = keys.chatIdempotencyRecords(tenant);
    for await (const { key, value } of this.#kv.list<{ runId?: string }>({ prefix })) {
      const runId = value?.runId ?? "";
      const [run, active] = await this.#kv.getMany<[StoredRun, { run?: StoredRun }]>([
        keys.run(tenant, runId),
        keys.activeRun(tenant, runId),
      ]);
      const of = run.value?.visitor ?? active.value?.run?.visitor;
      if (of === visitor) await this.#kv.delete(key);
    }
  }

  /** The names of its conversations, the least recently updated first: new ones are found too. */
  async *conversations({ tenant, visitor }: VisitorName): AsyncGenerator<ConversationName> {
    for await (const { name } of this.#entries({ tenant, visitor })) yield name;
  }

  /** False if some are left. */
  async deleteConversations(of: VisitorName, isDue: IsDue): Promise<boolean> {
    for await (const { key, name } of this.#entries(of)) {
      if (isDue()) return false;
      await this.#conversations.delete(name);
      // Of a conversation that has expired.
      await this.#kv.delete(key);
    }
    return true;
  }

  /** Deletes records and logs of runs: those with these ids, and all that name the visitor. */
  async deleteRuns(
    { tenant, visitor }: VisitorName,
    { runIds, isDue }: { runIds: readonly string[]; isDue: IsDue },
  ): Promise<boolean> {
    for (const runId of runIds) await this.#deleteRun(tenant, runId);
    const prefix = keys.tenantRuns(tenant);
    for await (const { key, value } of this.#kv.list<StoredRun>({ prefix }, { batchSize: 500 })) {
      if (isDue()) return false;
      if (value?.visitor === visitor) await this.#deleteRun(tenant, String(key[2]));
    }
    return true;
  }

  async #deleteRun(tenant: string, runId: string): Promise<void> {
    const found = await this.#conversations.listRunKeys(tenant, runId);
    // The record last, so that an interrupted deletion finds the run again.
    const record = keys.run(tenant, runId);
    await deleteKeys(this.#kv, found.filter((key) => key.join() !== record.join()));
    await deleteKeys(this.#kv, [record, keys.runFollowed(tenant, runId)]);
  }

  async *#entries({ tenant, visitor }: VisitorName) {
    const prefix = keys.conversationsByVisitor(tenant, visitor);
    for await (const { key, value } of this.#kv.list<IndexValue>({ prefix })) {
      const [id, agentId, page] = value;
      yield { key, name: { tenant, id, agentId, page } };
    }
  }
}

type StoredSession = { visitor?: { hash?: string } } | undefined;
type StoredRun = { visitor?: string } | undefined;
