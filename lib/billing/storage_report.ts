import { agentStorageUsage } from "../store/agents/agent_versions.ts";
import { attachmentStorageUsage } from "../store/attachments/attachment_usage.ts";
import { readConversationUsage } from "../store/conversations/conversation_usage.ts";
import { knowledgeStorageUsage } from "../store/knowledge/knowledge_usage.ts";
import { countActiveApiKeys } from "../store/credentials/count_active_api_keys.ts";
import { keys } from "../store/keys/keys.ts";
import { countKeys } from "../store/shared/count_keys.ts";
import { countTestSets } from "../store/test_sets/test_set_store.ts";
import { countUsers } from "../store/users/account_link_store.ts";
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
    const now = this.#runtime.now();
    const [agents, knowledge, attachments, conversations, counts] = await Promise.all([
      agentStorageUsage(this.#kv).readAndStore(tenant),
      knowledgeStorageUsage(this.#kv).readAndStore(tenant),
      attachmentStorageUsage(this.#kv).readAndStore(tenant),
      readConversationUsage(this.#kv, { tenant, now }),
      this.#readCounts({ tenant, now }),
    ]);
    const used = {
      ...agents.used,
      ...knowledge.used,
      ...attachments.used,
      ...counts,
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
      users: of("users"),
      apiKeys: of("apiKeys"),
      toolSecrets: of("toolSecrets"),
      testSets: of("testSets"),
    };
  }

  /** What is counted whenever it is asked for. */
  async #readCounts(of: { tenant: string; now: number }) {
    const [users, apiKeys, toolSecrets, testSets] = await Promise.all([
      countUsers(this.#kv, of),
      countActiveApiKeys(this.#kv, of),
      countKeys(this.#kv, keys.toolSecrets(of.tenant)),
      countTestSets(this.#kv, of.tenant),
    ]);
    return { users, apiKeys, toolSecrets, testSets };
  }
}
