import { completeAttachmentDeletions, eraseAttachment } from "../attachments/attachment_eraser.ts";
import { deleteHandoff } from "../handoffs/handoff_store.ts";
import type { ConversationStore } from "../conversations/conversation_store.ts";
import type { IndexValue } from "../conversations/conversation_index.ts";
import { type ConversationName, keys, type MemoryName } from "../keys/keys.ts";
import { deleteVisitorCases } from "../test_sets/delete_visitor_cases.ts";
import { deleteKeys } from "../values/chunks.ts";
import type { VisitorName } from "./erasure_store.ts";
import { deleteMemory } from "./memory_store.ts";

/** An ended run of a visitor that is in no stored conversation. */
export interface UnstoredRun {
  runId: string;
  agentId: string;
  conversationId: string;
}

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
      if (value?.visitor?.hash !== visitor) continue;
      if (value.id !== undefined) await this.#kv.delete(keys.sessionUploads(tenant, value.id));
      await this.#kv.delete(key);
    }
  }

  /** Deletes what repeated messages are recognized by. Call it before the runs are deleted. */
  async deleteReceipts({ tenant, visitor }: VisitorName): Promise<void> {
    const prefix = keys.chatIdempotencyRecords(tenant);
    for await (const { key, value } of this.#kv.list<StoredReceipt>({ prefix })) {
      const of = value?.visitor ?? await this.#visitorOfRun(tenant, value?.runId ?? "");
      if (of === visitor) await this.#kv.delete(key);
    }
  }

  /** For receipts of early releases, which name their run only. */
  async #visitorOfRun(tenant: string, runId: string): Promise<string | undefined> {
    const [run, active] = await this.#kv.getMany<[StoredRun, { run?: StoredRun }]>([
      keys.run(tenant, runId),
      keys.activeRun(tenant, runId),
    ]);
    return run.value?.visitor ?? active.value?.run?.visitor;
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

  /** The conversations with a hand-off, also those that are not stored. */
  async *handoffs({ tenant, visitor }: VisitorName): AsyncGenerator<ConversationName> {
    for await (const { key } of this.#ofVisitor(keys.tenantHandoffs(tenant), visitor)) {
      const [, , id, agentId, page] = key as [string, string, string, string, string];
      yield { tenant, id, agentId, page };
    }
  }

  /** False if some are left. */
  async deleteHandoffs(of: VisitorName, isDue: IsDue): Promise<boolean> {
    for await (const name of this.handoffs(of)) {
      if (isDue()) return false;
      await deleteHandoff(this.#kv, name);
    }
    return true;
  }

  /** The ids of the files that its sessions have uploaded, also of those that no message has used. */
  async *attachments({ tenant, visitor }: VisitorName): AsyncGenerator<string> {
    const prefix = keys.tenantAttachments(tenant);
    for await (const { key, value } of this.#kv.list<StoredAttachment>({ prefix })) {
      if (value?.owner?.visitor === visitor) yield String(key[2]);
    }
  }

  /** Also completes what a crash has interrupted. False if some are left. */
  async deleteAttachments(of: VisitorName, isDue: IsDue): Promise<boolean> {
    for await (const id of this.attachments(of)) {
      if (isDue()) return false;
      await eraseAttachment(this.#kv, { tenant: of.tenant, id });
    }
    await completeAttachmentDeletions(this.#kv, of.tenant);
    return true;
  }

  /** What agents remember about the visitor. */
  async *memories({ tenant, visitor }: VisitorName): AsyncGenerator<MemoryName> {
    for await (const { key } of this.#kv.list({ prefix: keys.visitorMemories(tenant, visitor) })) {
      yield { tenant, visitor, agentId: String(key[3]) };
    }
  }

  /** False if some are left. */
  async deleteMemories(of: VisitorName, isDue: IsDue): Promise<boolean> {
    for await (const name of this.memories(of)) {
      if (isDue()) return false;
      await deleteMemory(this.#kv, name);
    }
    return true;
  }

  /** The ended runs that are in no stored conversation. */
  async *unstoredRuns({ tenant, visitor }: VisitorName): AsyncGenerator<UnstoredRun> {
    for await (const { key, value } of this.#ofVisitor(keys.tenantRuns(tenant), visitor)) {
      const { agentId = "", conversationId = "", page } = value ?? {};
      if (page === undefined) yield { runId: String(key[2]), agentId, conversationId };
    }
  }

  /** Deletes records and logs of runs: those with these ids, and all that name the visitor. */
  async deleteRuns(
    { tenant, visitor }: VisitorName,
    { runIds, isDue }: { runIds: readonly string[]; isDue: IsDue },
  ): Promise<boolean> {
    for (const runId of runIds) await this.#deleteRun(tenant, runId);
    for await (const { key } of this.#ofVisitor(keys.tenantRuns(tenant), visitor)) {
      if (isDue()) return false;
      await this.#deleteRun(tenant, String(key[2]));
    }
    return true;
  }

  /** Deletes the test cases that were made of what the visitor had asked. False if some are left. */
  deleteTestCases(of: VisitorName, isDue: IsDue): Promise<boolean> {
    return deleteVisitorCases(this.#kv, of, isDue);
  }

  async #deleteRun(tenant: string, runId: string): Promise<void> {
    const found = await this.#conversations.listRunKeys(tenant, runId);
    // The record last, so that an interrupted deletion finds the run again. Its feedback with it, because
    // feedback may be given as long as there is a record.
    const last = [keys.run(tenant, runId), keys.feedback(tenant, runId)];
    const isLast = (key: Deno.KvKey) => last.some((one) => one.join() === key.join());
    await this.#deleteRequests(tenant, runId);
    await deleteKeys(this.#kv, found.filter((key) => !isLast(key)));
    await deleteKeys(this.#kv, [...last, keys.runFollowed(tenant, runId)]);
  }

  /** Deletes what other processes have asked the run's own process. */
  async #deleteRequests(tenant: string, runId: string): Promise<void> {
    const { value } = await this.#kv.get<{ owner?: string }>(keys.runLogHead(tenant, runId));
    if (value?.owner === undefined) return;
    const follow = await this.#kv.get(keys.followWakeKey(value.owner));
    await this.#kv.delete(keys.stopRequest(value.owner, runId));
    if (follow.value === runId) await this.#kv.delete(follow.key);
  }

  /** The entries whose records name the visitor. */
  async *#ofVisitor(prefix: Deno.KvKey, visitor: string) {
    for await (const entry of this.#kv.list<StoredRun>({ prefix }, { batchSize: 500 })) {
      if (entry.value?.visitor === visitor) yield entry;
    }
  }

  async *#entries({ tenant, visitor }: VisitorName) {
    const prefix = keys.conversationsByVisitor(tenant, visitor);
    for await (const { key, value } of this.#kv.list<IndexValue>({ prefix })) {
      const [id, agentId, page] = value;
      yield { key, name: { tenant, id, agentId, page } };
    }
  }
}

type StoredSession = { id?: string; visitor?: { hash?: string } } | undefined;
type StoredReceipt = { runId?: string; visitor?: string } | undefined;
type StoredAttachment = { owner?: { visitor?: string } } | undefined;
type StoredRun =
  | { visitor?: string; agentId?: string; conversationId?: string; page?: string }
  | undefined;
