import type { SignInService } from "../services/sign_in_service.ts";
import type { SecurityLog } from "../services/security_log.ts";
import type { TeamService } from "../services/team_service.ts";
import type { UserService } from "../services/user_service.ts";
import type { AgentService } from "../services/agent_service.ts";
import type { ConversationService } from "../services/conversation_service.ts";
import type { KnowledgeService } from "../services/knowledge_service.ts";
import type { SessionService } from "../services/session_service.ts";
import type { ChatService } from "../chat/chat_service.ts";
import type { ConversationQuota } from "../chat/conversation_quota.ts";
import type { RunRegistry } from "../chat/run_registry.ts";
import type { ConnectionConfig } from "../schemas/connection_config.ts";
import type { ProviderId } from "../schemas/provider_id.ts";
import type { Doctor } from "../doctor/doctor.ts";
import type { KnowledgeSearch } from "../knowledge/search/knowledge_search.ts";
import type { DocumentProcessor } from "../knowledge/ingest/document_processor.ts";
import type { WorkerPool } from "../knowledge/ingest/worker/worker_pool.ts";
import type { ApiKeyStore } from "../store/credentials/api_key_store.ts";
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
import type { ProxyDetector } from "./client_address.ts";
import type { RateLimiterDeps } from "./rate_limiter.ts";
import type { Logger, LogLevel } from "../platform/log.ts";
import type { Runtime } from "../platform/runtime.ts";
import type { StorageReports } from "../billing/storage_report.ts";
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
  readonly onDenoDeploy: boolean;
}

/** Everything a route may call: one per process, composed in `composition/open_service.ts`. */
export interface Service {
  readonly config: ServiceConfig;
  readonly runtime: Runtime;
  /** For absolute links: `PUBLIC_URL`, or the listening address; never the `Host` header. */
  readonly baseUrl: string;
  readonly accounts: SignInService;
  readonly agents: AgentService;
  readonly apiKeys: ApiKeyStore;
  /** Who changed what; every change writes its own entry. */
  readonly audit: AuditStore;
  /** What goes wrong without anybody seeing it: refused origins, failing vendors. */
  readonly alerts: AlertStore;
  readonly catalogue: CatalogueStore;
  /** Which advice of the dashboard tenants do not want to see. */
  readonly dismissals: DismissalStore;
  readonly chat: ChatService;
  readonly conversations: ConversationService;
  /** Makes of a digest one that nobody without the store's own key can guess what was said by. */
  readonly keyedDigest: (digest: string) => string;
  /** Keeps conversations within the tenants' plans. */
  readonly conversationQuota: Pick<ConversationQuota, "enforceAll">;
  /** Tells why a widget does not show on a page. */
  readonly doctor: Doctor;
  /** Finds passages in the tenants' knowledge bases. */
  readonly knowledgeSearch: KnowledgeSearch;
  /** Reads the documents of knowledge bases; looks for work by itself once it is started. */
  readonly documents: DocumentProcessor;
  readonly knowledge: KnowledgeService;
  /** Settles what other processes left behind; sweeps by itself once it is started. */
  readonly orphanedRuns: OrphanedRunSweeper;
  /** First answers to creating requests, for repeated ones. */
  readonly idempotencyRecords: IdempotencyStore;
  /** The secrets that API keys are hashed under, for the command line. */
  readonly hmacSecrets: HmacSecrets;
  /** Encrypts what is stored under the first of the encryption keys. */
  readonly reencryption: Reencryption;
  /** Runs of all processes, to be followed and stopped. */
  readonly runs: RunRegistry;
  /** What tools send as `{{secret.NAME}}`. */
  readonly secrets: SecretStore;
  /** Failed sign-ins, lockouts and refusals of the dashboard. */
  readonly securityLog: SecurityLog;
  readonly sessions: SessionService;
  /** What tenants store, against their quotas. */
  readonly storage: StorageReports;
  /** How long a request may wait for a store that does not answer, milliseconds. */
  readonly storeDeadlineMs: number;
  readonly team: TeamService;
  readonly tenants: TenantStore;
  /** Dashboard users, for the command line. */
  readonly users: UserService;
  /** Vendor slots as they are stored; what the environment sets up is not among them. */
  readonly connections: ConnectionStore;
  /** Vendor slots as this process uses them, and how they have been doing. */
  readonly providers: Pick<ModelRegistry, "connection" | "health">;
  /** The processes that parse documents and uploads. */
  readonly workers: WorkerPool;
  /** What a plan that overrides nothing holds its tenant to. */
  readonly limits: Limits;
  readonly usage: UsageReports;
  /** The widget as it is served: its bytes, integrity and version. */
  readonly widget: ScriptBundle;
  /** The client that the widget is built on, for pages with a face of their own. */
  readonly client: ScriptBundle;
  /** TypeScript declarations of the client. */
  readonly clientTypes: string;
  /** Scripts of this and the ten releases before it. */
  readonly releases: ScriptReleaseStore;
  readonly log: Logger;
  /** Notices a proxy in front that the configuration does not name. */
  readonly forwardedForCheck: ProxyDetector;
  /** The agent `/demo` talks to, while the demo is on. */
  readonly demoAgent: { tenant: string; id: string } | undefined;
  /** Settles when it is known whether there is one: the first request may come before. */
  readonly demoReady: Promise<void>;
  /** What counts requests and lets messages in. */
  readonly rateLimiterDeps: RateLimiterDeps;
  /** Aborted when the process ends: streams that have not ended by then are broken off. */
  readonly closing: AbortSignal;
  /** Whether the store answers and the process is not about to end. */
  ready(): Promise<boolean>;
  /** Begins no run any more, gives those under way `graceMs` to end, and ends all streams. */
  drain(graceMs: number): Promise<void>;
  close(): Promise<void>;
}
