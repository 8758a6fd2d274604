import type { ScryptCost } from "../../platform/crypto/password_hasher.ts";
import { AttachmentSweeper } from "../../attachments/attachment_sweeper.ts";
import { AgentService } from "../../services/agent_service.ts";
import { AttachmentService } from "../../services/attachment_service.ts";
import { WordSearch } from "../../services/word_search.ts";
import { ConversationAudit } from "../../services/conversation_audit.ts";
import { HandoffService } from "../../services/handoff_service.ts";
import { HandoffStore } from "../../store/handoffs/handoff_store.ts";
import { ConversationHandoffs } from "../../chat/handoff/conversation_handoffs.ts";
import { ConversationInbox } from "../../services/conversation_inbox.ts";
import { LiveRuns } from "../../chat/live_runs.ts";
import { FeedbackService } from "../../services/feedback_service.ts";
import { CanaryWatch } from "../../services/publishing/canary_watch.ts";
import { RunSeals } from "../../services/seals/run_seals.ts";
import { SessionConversations } from "../../services/session_conversations.ts";
import { MemoryStore } from "../../store/visitors/memory_store.ts";
import { OwnConversationStore } from "../../store/conversations/own_conversation_store.ts";
import { ConversationService } from "../../services/conversation_service.ts";
import { HandoffTranscripts } from "../../services/handoff_transcripts.ts";
import { CursorSigner } from "../../services/cursor_signer.ts";
import type { Config } from "../config/config.ts";
import { Signer } from "../../platform/crypto/signer.ts";
import { HashCache } from "../../platform/crypto/hash_cache.ts";
import { Doctor } from "../../doctor/doctor.ts";
import { BODY_BUDGET } from "../../http/bodies/byte_budget.ts";
import { ProxyDetector } from "../../http/client_address.ts";
import { type Limits, withOverrides } from "../../billing/limits.ts";
import { InFlightRequests } from "../../billing/in_flight_requests.ts";
import type { WorkerCommand } from "../../knowledge/ingest/worker/worker_process.ts";
import type { Logger } from "../../platform/log.ts";
import type { BackupAges, Service } from "../../http/service.ts";
import { AgentStore } from "../../store/agents/agent_store.ts";
import { PublicationStore } from "../../store/agents/publication_store.ts";
import { AlertStore } from "../../store/tenants/alert_store.ts";
import type { CatalogueEntry } from "../../store/providers/catalogue_store.ts";
import { AttachmentStore } from "../../store/attachments/attachment_store.ts";
import { ConversationStore } from "../../store/conversations/conversation_store.ts";
import { FeedbackStore } from "../../store/feedback/feedback_store.ts";
import { HmacSecrets } from "../../store/credentials/hmac_secrets.ts";
import { Reencryption } from "../../store/reencryption/reencryption.ts";
import { DismissalStore } from "../../store/tenants/dismissal_store.ts";
import { SECRETS_PURPOSE, SecretStore } from "../../store/credentials/secret_store.ts";
import { SessionStore } from "../../store/credentials/session_store.ts";
import { Unanswered } from "../../services/unanswered/unanswered.ts";
import { AskedAgainStore } from "../../store/unanswered/asked_again_store.ts";
import { UnansweredStore } from "../../store/unanswered/unanswered_store.ts";
import type { CreateTracing } from "../telemetry/otel_tracing.ts";
import type { ServiceMetricsOptions } from "../telemetry/service_metrics.ts";
import type { SetTimer } from "../../store/tx/send_schedule.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { StorageReports } from "../../billing/storage_report.ts";
import { UsageReports } from "../../billing/usage_report.ts";
import { openCoreDeps, storeDeadlineMs } from "./core_deps.ts";
import { openAudit } from "./open_audit.ts";
import { openAuth } from "./open_auth.ts";
import { openEgress } from "./open_egress.ts";
import { openMetrics } from "./open_metrics.ts";
import { openMcp } from "./open_mcp.ts";
import { openKnowledge } from "./open_knowledge.ts";
import { openOidc } from "./open_oidc.ts";
import { openProviders } from "./open_providers.ts";
import { openChat } from "./open_chat.ts";
import { openDemo } from "./open_demo.ts";
import { isStoreReady } from "../process/store_health.ts";
import { type BuiltScripts, embeddedScripts, openScripts } from "./open_scripts.ts";
import { openTenants } from "./open_tenants.ts";
import { openConfiguration } from "./open_configuration.ts";
import { openTests } from "./open_tests.ts";
import { openVisitors } from "./open_visitors.ts";

/** Memory limits of the parts that grow with use. */
export interface MemoryLimits {
  /** All knowledge base indexes together, estimated bytes. The index in use is never evicted. */
  indexBytes: number;
  /** JSON bodies and forms being read, bytes. One sender may use a quarter. */
  bodyBytes: number;
  cachedValues: number;
}

/** For a process with 512 MB. */
export const SMALL_MEMORY_LIMITS: MemoryLimits = {
  indexBytes: 64 * 1_048_576,
  bodyBytes: 32 * 1_048_576,
  cachedValues: 5_000,
};

export interface OpenServiceOptions extends Pick<ServiceMetricsOptions, "peers"> {
  config: Config;
  kv: Deno.Kv;
  hmacSecrets: readonly string[];
  /** Each base64 of 32 bytes. The first encrypts, all decrypt. */
  encryptionKeys: readonly string[];
  runtime: Runtime;
  log: Logger;
  baseUrl: string;
  scripts: BuiltScripts;
  catalogue?: readonly CatalogueEntry[];
  limits?: Partial<Limits>;
  passwordCost?: ScryptCost;
  /** How long a store operation may take, milliseconds; 5,000 by default. */
  storeTimeoutMs?: number;
  /** Lets writes that nobody waits for share commits. Without it nothing waits. */
  setTimer?: SetTimer;
  /** Rejecting a tool's host takes a multiple of this, milliseconds; 1,000 by default. */
  egressRejectionMs?: number;
  memory?: MemoryLimits | undefined;
  /** Whether the store's file is still the one that was opened; always true without a file. */
  isStoreInPlace?: () => boolean;
  backups?: BackupAges | undefined;
  /** The command that starts a process to parse documents; `undefined` where none can start. */
  worker: WorkerCommand | undefined;
  /** Set if traces are collected. */
  createTracing?: CreateTracing | undefined;
  /** Does not wait for the demo agent, because a client is already waiting. */
  openDemoInBackground?: boolean;
  close: () => Promise<void>;
}

/** Composes the service on an open store. Creates the default tenant and the demo agent once. */
export async function openService(options: OpenServiceOptions): Promise<Service> {
  const core = await openCoreDeps(options);
  const { config, kv, runtime, log, limits, tenants } = core;
  const { baseUrl, memory, worker } = options;
  const signer = new Signer(options.hmacSecrets);
  const cursors = new CursorSigner(signer);
  const closing = new AbortController();
  let isStopping = false;
  const tenant = (await tenants.ensureDefault()).id;
  const providers = await openProviders(core, options.catalogue ?? []);
  const scripts = await openScripts(core, options.scripts);
  if (memory) BODY_BUDGET.resize(memory.bodyBytes, { share: memory.bodyBytes / 4 });
  const indexBytes = memory?.indexBytes;
  const egress = await openEgress(core, options.egressRejectionMs);
  const knowledge = openKnowledge(core, { providers, cursors, egress, worker, indexBytes });
  const secrets = new SecretStore(kv, { runtime, sealer: core.sealer(SECRETS_PURPOSE) });
  const agentStore = new AgentStore(kv, runtime);
  const agentDeps = { secrets, cursors, tenants, models: providers.access };
  const openAgentService = (store: AgentStore) =>
    new AgentService(store, { ...agentDeps, knowledge: knowledge.knowledge });
  const agents = openAgentService(agentStore);
  const alerts = new AlertStore(kv, runtime);
  const publicationStore = new PublicationStore(kv, runtime);
  const canaries = new CanaryWatch({ kv, store: publicationStore, alerts, runtime, log });
  const publishing = { store: publicationStore, canaries, agents };
  const conversations = new ConversationStore(kv, core);
  const live = new LiveRuns(kv, core.content);
  const storage = new StorageReports(kv, runtime);
  const attachments = new AttachmentStore(kv, core);
  const attachmentSweeper = new AttachmentSweeper(kv, core);
  const memories = new MemoryStore(kv, core);
  const { knowledgeSearch } = knowledge;
  const handoffStore = new HandoffStore(kv, core);
  const unanswered = new UnansweredStore(kv, core);
  const handoffs = new ConversationHandoffs({ ...core, store: handoffStore, unanswered });
  const { mcpAuthorizations, mcpTokens } = openMcp(core, { egress, baseUrl });
  const chatDeps = {
    agents: agentStore,
    alerts,
    canaries,
    handoffs,
    attachments,
    conversations,
    secrets,
    mcpTokens,
    egress,
    knowledgeSearch,
    memories,
    providers,
  };
  const { admission, chat, ...ofChat } = openChat(core, chatDeps);
  const { toolsets, trialJobs, orphanedRuns, conversationQuota, runs, searchIndexer } = ofChat;
  const onRevoked = (tenant: string, id: string) => chat.cancelRunsOf(tenant, id);
  const oidc = await openOidc(core, { egress, baseUrl, tenant });
  const auth = openAuth(core, { signer, oidc, onRevoked });
  const audit = openAudit(core);
  const handoffTranscripts = new HandoffTranscripts(handoffStore, runtime);
  const conversationService = new ConversationService(conversations, {
    ...{ cursors, runs, handoffs: handoffTranscripts },
  });
  const own = new OwnConversationStore(kv, core);
  const trialDeps = {
    ...{ runtime, conversations, own, cursors, agents: agentStore, jobs: trialJobs },
    dailyLimitOf: async (tenant: string) =>
      withOverrides(limits, (await tenants.plan(tenant)).limits).hardDailyCost,
  };
  const feedbackStore = new FeedbackStore(kv, core);
  const tests = openTests(core, { ...trialDeps, providers, publishing });
  const usage = new UsageReports(kv, { runtime, tenants, limits, storage });
  const tenantServices = openTenants(core, {
    ...{ ...auth, ...knowledge, ...tests, runs, trialJobs, agents, secrets, usage, own },
    ...{ store: conversations, attachments, memories, mcp: mcpAuthorizations },
    ...{ conversations: conversationService, handoffs: handoffTranscripts },
  });
  const visitors = openVisitors(core, {
    ...{ agents, attachments, conversations, conversationService, feedbackStore, memories, own },
    ...{ handoffTranscripts, runs, accounts: auth.visitors },
  });
  const { catalogue, connections, registry } = providers;
  const configuration = openConfiguration(core, {
    ...{ cursors, secrets, openAgentService, access: providers.access },
    ...{ ...knowledge, ...tests },
    services: { agents, knowledge: knowledge.knowledge, ...tests },
  });
  const demo = openDemo(core, { tenant, agents, connections, baseUrl });
  if (options.openDemoInBackground) {
    demo.opened.catch((error) => log.error("no demo agent", { error }));
  } else await demo.opened;
  return {
    ...{ config, runtime, log, baseUrl, limits, tenants, ...openMetrics(core, { chat }) },
    ...{ ...auth, ...knowledge, ...scripts, ...visitors },
    ...{ ...tenantServices, ...audit },
    ...{ agents, alerts, canaries, catalogue, connections, mcpAuthorizations, secrets, storage },
    providers: registry,
    ...{ chat, trialJobs, toolsets, runs, orphanedRuns },
    ...{ conversationQuota, searchIndexer, attachmentSweeper },
    attachments: new AttachmentService({ runtime, store: attachments, workers: knowledge.workers }),
    forwardedForCheck: new ProxyDetector(config, log),
    hmacSecrets: new HmacSecrets(kv, options.hmacSecrets),
    keyedDigest: (digest) => core.content.digest(digest),
    feedback: new FeedbackService(feedbackStore, { runs, unanswered, canaries }),
    conversations: conversationService,
    ...{ ...tests, usage, configuration },
    unanswered: new Unanswered({
      ...{ ...trialDeps, knowledge: knowledge.knowledge, questions: unanswered },
      marks: new AskedAgainStore(kv, core),
      meanings: knowledge.questionMeanings,
    }),
    runSeals: new RunSeals({ ...core, store: conversations, conversations: conversationService }),
    ownConversations: new SessionConversations({
      ...{ conversations: conversationService, store: conversations, cursors, runs, live, own },
    }),
    handoffs: new HandoffService({
      ...{ kv, runtime, conversations, handoffs, runs, agents },
      store: handoffStore,
    }),
    conversationAudit: new ConversationAudit(kv, runtime),
    inbox: new ConversationInbox(conversations, {
      ...{ cursors, live },
      words: new WordSearch(kv, { ...core, conversations, indexer: searchIndexer }),
    }),
    get demoAgent() {
      return demo.agent;
    },
    demoReady: demo.opened,
    dismissals: new DismissalStore(kv, runtime),
    doctor: new Doctor({
      ...{ egress, runtime, committer: core.committer, releases: scripts.releases },
      sessions: new SessionStore(kv, runtime),
      embed: { baseUrl, scriptBase: config.cdnUrl ?? baseUrl, ...embeddedScripts(scripts) },
      signal: closing.signal,
    }),
    rateLimiterDeps: {
      ...{ admission, tenants, limits, committer: core.committer, signer: new HashCache(signer) },
      inFlight: new InFlightRequests(),
      feeds: new InFlightRequests(),
    },
    reencryption: new Reencryption(kv, { encryptionKeys: options.encryptionKeys, runtime }),
    storeDeadlineMs: storeDeadlineMs(options.storeTimeoutMs),
    backups: options.backups,
    closing: closing.signal,
    ready: async () =>
      !isStopping && (options.isStoreInPlace?.() ?? true) && await isStoreReady(core),
    announceStop: () => void (isStopping = true),
    drain: async (graceMs) => {
      isStopping = true;
      await Promise.all([chat.drain(graceMs), trialJobs.close(), knowledge.crawls.close()]);
      closing.abort();
    },
    close: async () => {
      await orphanedRuns.close();
      await attachmentSweeper.close();
      await visitors.visitorErasures.close();
      await tenantServices.tenantDeletions.close();
      await audit.auditChainer.close();
      await knowledge.crawls.close();
      await knowledge.documents.close();
      await knowledge.workers.close();
      await trialJobs.close();
      await chat.stopAll();
      await conversationQuota.close();
      await searchIndexer.close();
      await canaries.close();
      await knowledgeSearch.close();
      closing.abort();
      await alerts.close();
      await auth.securityLog.flush();
      registry.close();
      runs.close();
      admission.close();
      await core.shards.process.release();
      await core.metrics.close();
      await options.close();
    },
  };
}
