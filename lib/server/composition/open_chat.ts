import { ToolsetFactory } from "../../agent/tools/toolset_factory.ts";
import { ChatService } from "../../chat/chat_service.ts";
import { ConversationQuota } from "../../chat/log/conversation_quota.ts";
import { alertProviderFailure } from "../../chat/alert_provider_failure.ts";
import { ReplacedRuns } from "../../chat/replaced_runs.ts";
import { RunRegistry } from "../../chat/run_registry.ts";
import { TrialJobs } from "../../chat/trial/trial_jobs.ts";
import { TrialRunner } from "../../chat/trial/trial_runner.ts";
import { RunSealer } from "../../chat/seals/run_sealer.ts";
import type { Egress } from "../../egress/egress.ts";
import type { ConversationHandoffs } from "../../chat/handoff/conversation_handoffs.ts";
import { suggestFollowUpsTool } from "../../agent/tools/suggest_follow_ups_tool.ts";
import { handoffTools } from "../../chat/tools/handoff_tools.ts";
import { knowledgeTools } from "../../chat/tools/knowledge_tools.ts";
import { visitorMemoryTools } from "../../chat/tools/memory_tools.ts";
import { Admission } from "../../billing/admission.ts";
import { OrphanedRunSweeper } from "../../billing/orphaned_run_sweeper.ts";
import { FailureDetector } from "../../billing/failure_detector.ts";
import type { CanaryWatch } from "../../services/publishing/canary_watch.ts";
import type { AlertStore } from "../../store/tenants/alert_store.ts";
import { SearchIndexer } from "../../chat/log/search_indexer.ts";
import { SearchIndexing } from "../../store/search/search_indexing.ts";
import type { AgentStore } from "../../store/agents/agent_store.ts";
import type { AttachmentStore } from "../../store/attachments/attachment_store.ts";
import type { ConversationStore } from "../../store/conversations/conversation_store.ts";
import type { MemoryStore } from "../../store/visitors/memory_store.ts";
import type { SecretStore } from "../../store/credentials/secret_store.ts";
import type { McpTokens } from "../../agent/tools/callable_tool.ts";
import type { CoreDeps } from "./core_deps.ts";
import type { KnowledgeSearch } from "../../knowledge/search/knowledge_search.ts";
import type { ProviderServices } from "./open_providers.ts";

export function openChat(
  {
    config,
    kv,
    committer,
    content,
    metrics,
    shards,
    signing,
    windows,
    runtime,
    log,
    tenants,
    charges,
    tracing,
  }: CoreDeps,
  { agents, alerts, attachments, conversations, egress, handoffs, knowledgeSearch, ...deps }: {
    agents: AgentStore;
    alerts: AlertStore;
    attachments: AttachmentStore;
    canaries: CanaryWatch;
    conversations: ConversationStore;
    egress: Egress;
    handoffs: ConversationHandoffs;
    knowledgeSearch: KnowledgeSearch;
    memories: MemoryStore;
    providers: ProviderServices;
    secrets: SecretStore;
    mcpTokens: (tenant: string) => McpTokens;
  },
) {
  const { canaries, mcpTokens, memories, providers, secrets } = deps;
  const admission = new Admission(committer, {
    ...{ runtime, shards, windows, observer: metrics.chat },
    onLost: (runId): void => chat.stopRunWithLostLease(runId),
  });
  const failureDetector = new FailureDetector(runtime);
  const conversationQuota = new ConversationQuota({
    ...{ kv, runtime, log, tenants, alerts },
    store: conversations,
  });
  const searchIndexer = new SearchIndexer({
    ...{ runtime, log },
    indexing: new SearchIndexing(kv, { content, runtime, conversations }),
  });
  const runs = new RunRegistry({
    ...{ kv, committer, content, admission, runtime, tenants, tracing },
    leases: failureDetector,
    sealer: new RunSealer(signing, { content, runtime }),
    quota: conversationQuota,
    indexer: searchIndexer,
    shard: shards.process,
  });
  const orphanedRuns = new OrphanedRunSweeper(kv, {
    ...{ admission, failureDetector, runtime, log },
    settle: (live, lease) => runs.settleOrphaned(live, lease),
  });
  const toolsets = new ToolsetFactory({
    ...{ egress, runtime, mcpTokens },
    findSecret: (tenant, name) => secrets.find(tenant, name),
    builtIn: (request) => [
      ...knowledgeTools(knowledgeSearch, request),
      ...handoffTools(handoffs, request),
      ...visitorMemoryTools({ memories, tenants }, request),
      ...request.agent.followUps ? [suggestFollowUpsTool()] : [],
    ],
  });
  const chat = new ChatService({
    ...{ admission, agents, attachments, handoffs, memories, runs, runtime, log, tracing },
    replacedRuns: new ReplacedRuns({ kv, runtime, runs }),
    access: providers.access,
    models: providers.registry,
    abandonedAfterMs: config.abandonedRunMs,
    onSettled: (run) => {
      alertProviderFailure(alerts, run);
      canaries.note(run.facts);
    },
    toolsets,
  });
  const trials = new TrialRunner({
    ...{ agents, attachments, runtime, toolsets },
    access: providers.access,
    models: providers.registry,
  });
  const trialJobs = new TrialJobs({ kv, committer, charges, trials, runtime, log });
  return {
    admission,
    chat,
    toolsets,
    trialJobs,
    orphanedRuns,
    runs,
    conversationQuota,
    searchIndexer,
  };
}
