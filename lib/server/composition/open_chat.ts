import { ToolsetFactory } from "../../agent/tools/toolset_factory.ts";
import { ChatService } from "../../chat/chat_service.ts";
import { ConversationQuota } from "../../chat/conversation_quota.ts";
import { alertProviderFailure } from "../../chat/alert_provider_failure.ts";
import { RunRegistry } from "../../chat/run_registry.ts";
import type { Egress } from "../../egress/egress.ts";
import { knowledgeTools } from "../../chat/knowledge_tools.ts";
import { Admission } from "../../billing/admission.ts";
import { OrphanedRunSweeper } from "../../billing/orphaned_run_sweeper.ts";
import { FailureDetector } from "../../billing/failure_detector.ts";
import type { AlertStore } from "../../store/tenants/alert_store.ts";
import type { ConversationStore } from "../../store/conversations/conversation_store.ts";
import type { SecretStore } from "../../store/credentials/secret_store.ts";
import type { CoreDeps } from "./core_deps.ts";
import type { KnowledgeServices } from "./open_knowledge.ts";
import type { ProviderServices } from "./open_providers.ts";

/** Chats from their admission to their end, those of processes that died among them. */
export interface ChatServices {
  admission: Admission;
  chat: ChatService;
  orphanedRuns: OrphanedRunSweeper;
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
  { config, kv, committer, content, shards, windows, runtime, log, tenants }: CoreDeps,
  { alerts, conversations, egress, knowledge, models, secrets }: OpenChatDeps,
): ChatServices {
  const admission = new Admission(committer, {
    ...{ runtime, shards, windows },
    onLost: (runId) => chat.stopRunWithLostLease(runId),
  });
  const leases = new FailureDetector(runtime);
  const quota = new ConversationQuota({
    ...{ kv, runtime, log, tenants, alerts },
    store: conversations,
  });
  const runs = new RunRegistry({
    ...{ kv, committer, content, admission, runtime, tenants, leases, quota },
    shard: shards.process,
  });
  const deadRuns = new OrphanedRunSweeper(kv, {
    admission,
    failureDetector: leases,
    runtime,
    log,
    settle: (live, lease) => runs.settleOrphaned(live, lease),
  });
  const chat = new ChatService({
    admission,
    runs,
    access: models.access,
    models: models.registry,
    runtime,
    log,
    unwatchedMs: config.unwatchedRunMs,
    onSettled: (run) => alertProviderFailure(alerts, run),
    toolsets: new ToolsetFactory({
      egress,
      runtime,
      findSecret: (tenant, name) => secrets.find(tenant, name),
      builtIn: (request) => knowledgeTools(knowledge.knowledgeSearch, request),
    }),
  });
  return { admission, chat, orphanedRuns: deadRuns, runs, conversationQuota: quota };
}
