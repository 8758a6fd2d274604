import type { OidcConfig } from "../services/oidc/oidc_config.ts";
import type { OidcSessions } from "../services/oidc/oidc_sessions.ts";
import type { OidcConnections } from "../services/oidc/oidc_connections.ts";
import type { InstallationSetup } from "../services/installation_setup.ts";
import type { Passkeys } from "../services/factors/passkeys.ts";
import type { SecondFactors } from "../services/factors/second_factors.ts";
import type { OwnSessions } from "../services/own_sessions.ts";
import type { SignInService } from "../services/sign_in_service.ts";
import type { SecurityLog } from "../services/security_log.ts";
import type { Mailer } from "../services/mail/mailer.ts";
import type { ResetRequests } from "../services/mail/reset_requests.ts";
import type { TeamService } from "../services/team_service.ts";
import type { Memberships } from "../services/tenants/memberships.ts";
import type { Operators } from "../services/tenants/operators.ts";
import type { TenantDeletions } from "../services/tenants/tenant_deletions.ts";
import type { TenantExport } from "../services/tenants/tenant_export.ts";
import type { TenantLifecycle } from "../services/tenants/tenant_lifecycle.ts";
import type { UserService } from "../services/user_service.ts";
import type { AttachmentSweeper } from "../attachments/attachment_sweeper.ts";
import type { AttachmentService } from "../services/attachment_service.ts";
import type { AgentService } from "../services/agent_service.ts";
import type { AuditChainer } from "../services/audit/audit_chainer.ts";
import type { AuditExport } from "../services/audit/audit_export.ts";
import type { AuditVerifier } from "../services/audit/audit_verifier.ts";
import type { ConversationAudit } from "../services/conversation_audit.ts";
import type { ConversationInbox } from "../services/conversation_inbox.ts";
import type { HandoffService } from "../services/handoff_service.ts";
import type { ConversationService } from "../services/conversation_service.ts";
import type { FeedbackService } from "../services/feedback_service.ts";
import type { CanaryWatch } from "../services/publishing/canary_watch.ts";
import type { Publications } from "../services/publishing/publications.ts";
import type { Configuration } from "../services/configuration/configuration.ts";
import type { Unanswered } from "../services/unanswered/unanswered.ts";
import type { Rehearsals } from "../services/rehearsals/rehearsals.ts";
import type { TestCases } from "../services/test_sets/test_cases.ts";
import type { TestRunReader } from "../services/test_sets/test_run_reader.ts";
import type { TestRuns } from "../services/test_sets/test_runs.ts";
import type { TestSets } from "../services/test_sets/test_sets.ts";
import type { RunSeals } from "../services/seals/run_seals.ts";
import type { SessionConversations } from "../services/session_conversations.ts";
import type { VisitorErasures } from "../services/visitor_erasures.ts";
import type { VisitorExport } from "../services/visitor_export.ts";
import type { VisitorMemories } from "../services/visitor_memories.ts";
import type { KnowledgeService } from "../services/knowledge_service.ts";
import type { ProofNonces } from "../services/proof_nonces.ts";
import type { SessionService } from "../services/session_service.ts";
import type { ChatService } from "../chat/chat_service.ts";
import type { TrialJobs } from "../chat/trial/trial_jobs.ts";
import type { SearchIndexer } from "../chat/log/search_indexer.ts";
import type { ConversationQuota } from "../chat/log/conversation_quota.ts";
import type { RunRegistry } from "../chat/run_registry.ts";
import type { ConnectionConfig } from "../schemas/connection_config.ts";
import type { ProviderId } from "../schemas/provider_id.ts";
import type { Doctor } from "../doctor/doctor.ts";
import type { KnowledgeSearch } from "../knowledge/search/knowledge_search.ts";
import type { CrawlJobs } from "../knowledge/crawl/crawl_jobs.ts";
import type { WebSources } from "../services/web_sources.ts";
import type { DocumentProcessor } from "../knowledge/ingest/document_processor.ts";
import type { WorkerPool } from "../knowledge/ingest/worker/worker_pool.ts";
import type { ApiKeyStore } from "../store/credentials/api_key_store.ts";
import type { ShareStore } from "../store/agents/share_store.ts";
import type { AuditStore } from "../store/audit/audit_store.ts";
import type { AlertStore } from "../store/tenants/alert_store.ts";
import type { DismissalStore } from "../store/tenants/dismissal_store.ts";
import type { CatalogueStore } from "../store/providers/catalogue_store.ts";
import type { ConnectionStore } from "../store/providers/connection_store.ts";
import type { Limits } from "../billing/limits.ts";
import type { ModelRegistry } from "../providers/model_registry.ts";
import type { OrphanedRunSweeper } from "../billing/orphaned_run_sweeper.ts";
import type { HmacSecrets } from "../store/credentials/hmac_secrets.ts";
import type { Reencryption } from "../store/reencryption/reencryption.ts";
import type { IdempotencyStore } from "../store/idempotency_store.ts";
import type { ScriptReleaseStore } from "../store/script_release_store.ts";
import type { SecretStore } from "../store/credentials/secret_store.ts";
import type { TenantStore } from "../store/tenants/tenant_store.ts";
import type { HttpMetrics } from "./http_metrics.ts";
import type { MetricsAccess } from "./metrics_response.ts";
import type { ProxyDetector } from "./client_address.ts";
import type { RateLimiterDeps } from "./rate_limiter.ts";
import type { Logger, LogLevel } from "../platform/log.ts";
import type { MetricsFormat } from "../platform/metrics/format_metrics.ts";
import type { Tracing } from "../platform/tracing.ts";
import type { Runtime } from "../platform/runtime.ts";
import type { StorageReports } from "../billing/storage_report.ts";
import type { ToolsetFactory } from "../agent/tools/toolset_factory.ts";
import type { McpAuthorizations } from "../services/mcp/mcp_authorizations.ts";
import type { VisitorAccounts } from "../billing/visitor_accounts.ts";
import type { UsageReports } from "../billing/usage_report.ts";
import type { ScriptBundle } from "../store/script_bundle.ts";

/** The part of the configuration that is read after the service has opened. */
export interface ServiceConfig {
  readonly publicUrl?: string | undefined;
  readonly cdnUrl?: string | undefined;
  readonly setupToken?: string | undefined;
  readonly kvPath: string;
  readonly kvUrl?: string | undefined;
  readonly demoModel: boolean;
  readonly trustedProxyHops: number;
  readonly egressAllow: readonly string[];
  readonly logLevel: LogLevel;
  /** Connections that the environment configures; the dashboard shows them read-only. */
  readonly connections: Readonly<Partial<Record<ProviderId, ConnectionConfig>>>;
  /** The provider at which people sign in to the dashboard. */
  readonly oidc?: OidcConfig | undefined;
  readonly onDenoDeploy: boolean;
  /** How long requests are still accepted after a stop signal. */
  readonly drainSeconds: number;
}

/** How old the latest backup of the store is. */
export interface BackupAges {
  read(): Promise<{ lastAt: number | undefined; isOverdue: boolean }>;
  /** Reads the folder of backups again. */
  readLast(): Promise<number | undefined>;
}

/** Everything that routes call. One per process, composed in `lib/server/composition`. */
export interface Service {
  readonly config: ServiceConfig;
  readonly runtime: Runtime;
  /** For absolute links: `PUBLIC_URL`, or the listening address; never the `Host` header. */
  readonly baseUrl: string;
  readonly signIn: SignInService;
  readonly ownSessions: OwnSessions;
  readonly setup: InstallationSetup;
  readonly factors: SecondFactors;
  readonly passkeys: Passkeys;
  readonly oidc: OidcConnections;
  readonly oidcSessions: OidcSessions;
  readonly agents: AgentService;
  readonly apiKeys: ApiKeyStore;
  readonly attachments: AttachmentService;
  /** Deletes expired attachments; sweeps periodically once started. */
  readonly attachmentSweeper: AttachmentSweeper;
  readonly shares: ShareStore;
  readonly audit: AuditStore;
  /** Chains the entries of the audit logs; sweeps periodically once started. */
  readonly auditChainer: AuditChainer;
  readonly auditExport: AuditExport;
  readonly auditVerifier: AuditVerifier;
  /** `undefined` if the service makes no backups. */
  readonly backups?: BackupAges | undefined;
  readonly canaries: CanaryWatch;
  alerts: AlertStore;
  readonly catalogue: CatalogueStore;
  readonly dismissals: DismissalStore;
  readonly chat: ChatService;
  /** Agents, knowledge bases and test sets by key, for those who keep them as files. */
  readonly configuration: Configuration;
  /** Lets agents answer without a conversation, in the background. */
  readonly trialJobs: TrialJobs;
  readonly conversations: ConversationService;
  readonly feedback: FeedbackService;
  /** Of sessions: what their visitors see. */
  readonly ownConversations: SessionConversations;
  readonly handoffs: HandoffService;
  readonly inbox: ConversationInbox;
  readonly conversationAudit: ConversationAudit;
  /** Keys a digest with the store's key, so that it does not reveal its input to guessing. */
  readonly keyedDigest: (digest: string) => string;
  readonly conversationQuota: Pick<ConversationQuota, "enforceAll">;
  readonly searchIndexer: Pick<SearchIndexer, "note" | "indexAll">;
  readonly doctor: Doctor;
  readonly knowledgeSearch: KnowledgeSearch;
  readonly documents: DocumentProcessor;
  readonly knowledge: KnowledgeService;
  readonly webSources: WebSources;
  /** Crawls website sources; looks for those that are due once started. */
  readonly crawls: CrawlJobs;
  /** Settles runs of other processes that have ended; sweeps periodically once started. */
  readonly orphanedRuns: OrphanedRunSweeper;
  readonly idempotencyRecords: IdempotencyStore;
  readonly hmacSecrets: HmacSecrets;
  readonly reencryption: Reencryption;
  readonly publications: Publications;
  readonly rehearsals: Rehearsals;
  readonly testSets: TestSets;
  readonly testCases: TestCases;
  readonly testRuns: TestRuns;
  readonly testRunReader: TestRunReader;
  readonly unanswered: Unanswered;
  readonly runs: RunRegistry;
  /** What the service has signed about ended runs. */
  readonly runSeals: RunSeals;
  readonly secrets: SecretStore;
  /** Connects tenants to MCP servers that demand OAuth. */
  readonly mcpAuthorizations: McpAuthorizations;
  /** Reads what an agent's MCP server offers. */
  readonly toolsets: Pick<ToolsetFactory, "describeServer">;
  readonly securityLog: SecurityLog;
  readonly sessions: SessionService;
  readonly proofNonces: ProofNonces;
  readonly storage: StorageReports;
  /** How long a request waits for a store that does not respond, milliseconds. */
  readonly storeDeadlineMs: number;
  readonly memberships: Memberships;
  readonly team: TeamService;
  /** `undefined` unless mail is configured. */
  readonly mailer: Pick<Mailer, "send"> | undefined;
  readonly resetRequests: ResetRequests | undefined;
  readonly tenants: TenantStore;
  readonly tenantLifecycle: TenantLifecycle;
  readonly tenantExport: TenantExport;
  /** Continues unfinished deletions periodically once started. */
  readonly tenantDeletions: TenantDeletions;
  readonly operators: Operators;
  readonly users: UserService;
  readonly visitors: VisitorAccounts;
  /** Continues unfinished erasures periodically once started. */
  readonly visitorErasures: VisitorErasures;
  readonly visitorExport: VisitorExport;
  /** Of sessions: what agents remember about their visitors. */
  readonly visitorMemories: VisitorMemories;
  readonly connections: ConnectionStore;
  readonly providers: Pick<ModelRegistry, "connection" | "health" | "keyCounts">;
  readonly workers: WorkerPool;
  readonly limits: Limits;
  readonly usage: UsageReports;
  /** The launcher, `widget.v1.js`. */
  readonly widget: ScriptBundle;
  /** The panel that this launcher loads. */
  readonly panel: ScriptBundle;
  /** What this panel loads later. */
  readonly extras: ScriptBundle;
  readonly texts: ScriptBundle;
  /** The widget's style sheet. */
  readonly widgetStyles: string;
  readonly client: ScriptBundle;
  readonly clientTypes: string;
  /** Scripts of this release and those before it. */
  readonly releases: ScriptReleaseStore;
  readonly log: Logger;
  /** What is measured, of all server processes. */
  readonly metrics: {
    readonly http: HttpMetrics;
    format(format: MetricsFormat): Promise<string>;
    tenantLabel(tenant: string): string;
  };
  readonly metricsAccess: MetricsAccess;
  /** Set if traces are collected. */
  readonly tracing: Tracing | undefined;
  readonly forwardedForCheck: ProxyDetector;
  readonly demoAgent: { tenant: string; id: string } | undefined;
  readonly demoReady: Promise<void>;
  readonly rateLimiterDeps: RateLimiterDeps;
  /** Aborted at shutdown; ends the remaining streams. */
  readonly closing: AbortSignal;
  /** Whether the store works and the process is not shutting down. */
  ready(): Promise<boolean>;
  /** Makes `ready` false, so that proxies choose another process. Requests are still served. */
  announceStop(): void;
  /** Rejects new runs, gives active ones `graceMs` to finish, and ends all streams. */
  drain(graceMs: number): Promise<void>;
  close(): Promise<void>;
}
