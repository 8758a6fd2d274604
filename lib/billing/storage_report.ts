import { agentStorageUsage } from "../store/agents/agent_versions.ts";
import { attachmentStorageUsage } from "../store/attachments/attachment_usage.ts";
import { readConversationUsage } from "../store/conversations/conversation_usage.ts";
import { knowledgeStorageUsage } from "../store/knowledge/knowledge_usage.ts";
import type { Runtime } from "../platform/runtime.ts";
import type { QuotaName } from "../schemas/limits.ts";

/** A quota on what a tenant stores. */
export type StoredQuota = Exclude<QuotaName, "agentVersions">;

export type StorageFigure = { used: number; limit: number };
export type StorageFigures = Readonly<Record<StoredQuota, StorageFigure>>;

/** Reports what tenants store, from counters that each write updates. */
export class StorageReports {
  readonly #kv: Deno.Kv;
  readonly #runtime: Pick<Runtime, "now">;

  constructor(kv: Deno.Kv, runtime: Pick<Runtime, "now">) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  async read(tenant: string): Promise<StorageFigures> {
    const [agents, knowledge, attachments, conversations] = await Promise.all([
      agentStorageUsage(this.#kv).readAndStore(tenant),
      knowledgeStorageUsage(this.#kv).readAndStore(tenant),
      attachmentStorageUsage(this.#kv).readAndStore(tenant),
      readConversationUsage(this.#kv, { tenant, now: this.#runtime.now() }),
    ]);
    const used = {
      ...agents.used,
      ...knowledge.used,
      ...attachments.used,
      conversationRuns: conversations.runs,
      conversationBytes: conversations.bytes,
    };
    const of = (name: StoredQuota) => ({ used: used[name], limit: agents.quotas[name] });
    return {
      agents: of("agents"),
      agentBytes: of("agentBytes"),
      knowledgeBases: of("knowledgeBases"),
      knowledgeBytes: of("knowledgeBytes"),
      conversationRuns: of("conversationRuns"),
      conversationBytes: of("conversationBytes"),
      attachmentBytes: of("attachmentBytes"),
    };
  }
}
