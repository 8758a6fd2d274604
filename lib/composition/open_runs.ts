import { ToolsetFactory } from "../agent/tools/toolsets.ts";
import { ChatService } from "../chat/chat_service.ts";
import { ConversationQuota } from "../chat/conversation_space.ts";
import { alertProviderFailure } from "../chat/note_vendor_failure.ts";
import { RunRegistry } from "../chat/run_directory.ts";
import type { Egress } from "../egress/egress.ts";
import { knowledgeTools } from "../knowledge/search/knowledge_tools.ts";
import { Admission } from "../limits/admission.ts";
import { DeadRuns } from "../limits/dead_runs.ts";
import { LeaseWatch } from "../limits/lease_watch.ts";
import type { AlertStore } from "../storage/attention_store.ts";
import type { ConversationStore } from "../storage/conversation_store.ts";
import type { SecretStore } from "../storage/secret_store.ts";
import type { CoreDeps } from "./basis.ts";
import type { KnowledgeServices } from "./open_knowledge.ts";
import type { ProviderServices } from "./open_models.ts";

/** Chats from their admission to their end, those of processes that died among them. */
export interface ChatServices {
  admission: Admission;
  chat: ChatService;
  orphanedRuns: DeadRuns;
  runs: RunRegistry;
  conversationQuota: ConversationQuota;
}

interface OpenChatDeps {
  alerts: AlertStore;
  conversations: ConversationStore;
  egress: Egress;
  knowledge: Pick<KnowledgeServices, "knowledgeSearch">;
  models: ProviderServices;
  secrets: SecretStore;
}

export function openChat(
  { config, kv, committer, content, shards, windows, system, log, tenants }: CoreDeps,
  { alerts, conversations, egress, knowledge, models, secrets }: OpenChatDeps,
): ChatServices {
  const admission = new Admission(committer, {
    ...{ system, shards, windows },
    onLost: (runId) => chat.stopRunWithLostLease(runId),
  });
  const leases = new LeaseWatch(system);
  const space = new ConversationQuota({
    ...{ kv, system, log, tenants, attention: alerts },
    store: conversations,
  });
  const directory = new RunRegistry({
    ...{ kv, committer, content, admission, system, tenants, leases, space },
    shard: shards.process,
  });
  const deadRuns = new DeadRuns(kv, {
    admission,
    leases,
    system,
    log,
    settle: (live, lease) => directory.settleOrphaned(live, lease),
  });
  const chat = new ChatService({
    admission,
    directory,
    models: models.access,
    registry: models.registry,
    system,
    log,
    unwatchedMs: config.unwatchedRunMs,
    onSettled: (run) => alertProviderFailure(alerts, run),
    toolsets: new ToolsetFactory({
      egress,
      system,
      findSecret: (tenant, name) => secrets.find(tenant, name),
      builtIn: (request) => knowledgeTools(knowledge.knowledgeSearch, request),
    }),
  });
  return { admission, chat, orphanedRuns: deadRuns, runs: directory, conversationQuota: space };
}
