import type { ScryptCost } from "../../platform/crypto/password_hasher.ts";
import { AgentService } from "../../services/agent_service.ts";
import { ConversationService } from "../../services/conversation_service.ts";
import { CursorSigner } from "../../services/cursor_signer.ts";
import { GroupCommitter } from "../../store/tx/group_committer.ts";
import { type Config, isDemoEnabled } from "../config/config.ts";
import { Signer } from "../../platform/crypto/hashing.ts";
import { HashCache } from "../../platform/crypto/hash_cache.ts";
import { Sealer } from "../../platform/crypto/sealing.ts";
import { ensureDemoAgent } from "../../services/demo_agent.ts";
import { Doctor } from "../../doctor/doctor.ts";
import type { EmbedConfig } from "../../doctor/embed_snippets.ts";
import { BODY_BUDGET } from "../../http/bodies/byte_budget.ts";
import { ProxyDetector } from "../../http/client_address.ts";
import { LedgerShards } from "../../billing/ledger_shards.ts";
import { WindowShards } from "../../billing/window_shards.ts";
import { DEFAULT_LIMITS, type Limits } from "../../billing/limits.ts";
import { InFlightRequests } from "../../billing/in_flight_requests.ts";
import type { WorkerCommand } from "../../knowledge/ingest/worker/worker_process.ts";
import type { Logger } from "../../platform/log.ts";
import type { Service } from "../../http/service.ts";
import { AgentStore } from "../../store/agents/agent_store.ts";
import { AlertStore } from "../../store/tenants/alert_store.ts";
import type { CatalogueEntry } from "../../store/providers/catalogue_store.ts";
import { createContentSealer, openContentCipher } from "../../store/encryption/content_cipher.ts";
import { ConversationStore } from "../../store/conversations/conversation_store.ts";
import { HmacSecrets } from "../../store/credentials/hmac_secrets.ts";
import { Reencryption } from "../../store/reencryption/reencryption.ts";
import { DismissalStore } from "../../store/tenants/dismissal_store.ts";
import { SECRETS_PURPOSE, SecretStore } from "../../store/credentials/secret_store.ts";
import { SessionStore } from "../../store/credentials/session_store.ts";
import { withStoreFailures } from "../../store/kv/with_store_failures.ts";
import { withStoreGate } from "../../store/kv/with_store_gate.ts";
import { TenantStore } from "../../store/tenants/tenant_store.ts";
import type { ConnectionStore } from "../../store/providers/connection_store.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { StorageReports } from "../../billing/storage_report.ts";
import { UsageReports } from "../../billing/usage_report.ts";
import type { CoreDeps } from "./core_deps.ts";
import type { MemoryLimits } from "./memory_limits.ts";
import { openAuth } from "./open_auth.ts";
import { openEgress } from "./open_egress.ts";
import { openKnowledge } from "./open_knowledge.ts";
import { openProviders } from "./open_providers.ts";
import { openChat } from "./open_chat.ts";
import { isStoreReady } from "../process/store_health.ts";
import { type BuiltScripts, openScripts, type ServedScripts } from "./open_scripts.ts";

/** What the process hands in: the outside world, opened. */
export interface OpenServiceOptions {
  config: Config;
  kv: Deno.Kv;
  hmacSecrets: readonly string[];
  /** Each base64 of 32 bytes. The first encrypts, all decrypt. */
  encryptionKeys: readonly string[];
  runtime: Runtime;
  log: Logger;
  /** Where this service is reached, without a trailing slash. */
  baseUrl: string;
  /** The built browser scripts. */
  scripts: BuiltScripts;
  /** Entries of `CATALOGUE`. */
  catalogue?: readonly CatalogueEntry[];
  /** Limits other than the specification's, for tests and benchmarks. */
  limits?: Partial<Limits>;
  /** A cheap hash for tests where hashing is not the subject; `main.ts` never sets it. */
  passwordCost?: ScryptCost;
  /** How long the store may take for an answer, milliseconds; 5,000 by default. */
  storeTimeoutMs?: number;
  /** What the refusal of a tool's host takes a whole multiple of, milliseconds; 1,000 by default. */
  egressRejectionMs?: number;
  /** Bounds for a process with little memory; those of each part by default. */
  memory?: MemoryLimits | undefined;
  /** Whether what is stored still goes where it was opened; of a store that is no file, always. */
  isStoreInPlace?: () => boolean;
  /** How a process that parses documents is started; `undefined` where none can be. */
  worker: WorkerCommand | undefined;
  /** A client waits for the first answer: opens in the background what no chat needs. */
  openDemoInBackground?: boolean;
  /** Closes what the process opened for the service. */
  close: () => Promise<void>;
}

/** Composes the service on an open store; makes the default tenant and the demo agent once. */
export async function openService(options: OpenServiceOptions): Promise<Service> {
  const basis = await openCoreDeps(options);
  const { config, kv, committer, runtime, log, limits, tenants } = basis;
  const { baseUrl } = options;
  const signer = new Signer(options.hmacSecrets);
  const cursors = new CursorSigner(signer);
  const closing = new AbortController();
  const tenant = (await tenants.ensureDefault()).id;
  const models = await openProviders(basis, options.catalogue ?? []);
  const { access, catalogue, registry, connections } = models;
  const scripts = await openScripts(basis, options.scripts);
  const { memory, worker } = options;
  if (memory) BODY_BUDGET.resize(memory.bodyBytes, { share: memory.bodyBytes / 4 });
  const indexBytes = memory?.indexBytes;
  const knowledge = openKnowledge(basis, { models, cursors, worker, indexBytes });
  const secrets = new SecretStore(kv, { runtime, sealer: basis.sealer(SECRETS_PURPOSE) });
  const agents = new AgentService(new AgentStore(kv, runtime), {
    models: access,
    knowledge: knowledge.knowledge,
    secrets,
    cursors,
  });
  const egress = await openEgress(basis, options.egressRejectionMs);
  const alerts = new AlertStore(kv, runtime);
  const conversations = new ConversationStore(kv, basis);
  const storage = new StorageReports(kv, runtime);
  const stores = { alerts, conversations, secrets };
  const runs = openChat(basis, { ...stores, egress, knowledge, models });
  const { admission, chat, runs: directory, orphanedRuns, conversationQuota } = runs;
  const onRevoked = (tenant: string, id: string) => chat.cancelRunsOf(tenant, id);
  const callers = openAuth(basis, { signer, onRevoked });
  const demo = openDemo(basis, { tenant, agents, vendorSlots: connections, baseUrl });
  if (options.openDemoInBackground) {
    demo.opened.catch((error) => log.error("no demo agent", { error }));
  } else await demo.opened;
  return {
    ...{ config, runtime, log, baseUrl, limits, tenants },
    forwardedForCheck: new ProxyDetector(config, log),
    ...callers,
    ...knowledge,
    ...scripts,
    hmacSecrets: new HmacSecrets(kv, options.hmacSecrets),
    ...{ agents, alerts, catalogue, chat, orphanedRuns, secrets, connections },
    keyedDigest: (digest) => basis.content.digest(digest),
    conversations: new ConversationService(conversations, { cursors, runs: directory }),
    conversationQuota: conversationQuota,
    get demoAgent() {
      return demo.agent;
    },
    demoReady: demo.opened,
    dismissals: new DismissalStore(kv, runtime),
    doctor: new Doctor({
      ...{ egress, committer, runtime, releases: scripts.releases },
      sessions: new SessionStore(kv, runtime),
      embed: embedAddresses(options, scripts),
      signal: closing.signal,
    }),
    rateLimiterDeps: {
      ...{ committer, admission, tenants, limits, signer: new HashCache(signer) },
      inFlight: new InFlightRequests(),
    },
    reencryption: new Reencryption(kv, { encryptionKeys: options.encryptionKeys, runtime }),
    runs: directory,
    storage,
    storeDeadlineMs: storeDeadlineMs(options.storeTimeoutMs),
    usage: new UsageReports(kv, { runtime, tenants, limits, storage }),
    providers: registry,
    closing: closing.signal,
    ready: async () =>
      !chat.draining && (options.isStoreInPlace?.() ?? true) && await isStoreReady(basis),
    drain: async (graceMs) => {
      await chat.drain(graceMs);
      closing.abort();
    },
    close: async () => {
      await orphanedRuns.close();
      await knowledge.documents.close();
      await knowledge.workers.close();
      await chat.stopAll();
      await conversationQuota.close();
      await knowledge.knowledgeSearch.close();
      closing.abort();
      await alerts.close();
      await callers.securityLog.flush();
      registry.close();
      directory.close();
      admission.close();
      await basis.shards.process.release();
      await options.close();
    },
  };
}

/** How long a request waits for the store: the answer to its caller is due 5 s after the store is silent. */
function storeDeadlineMs(timeoutMs = 5_000): number {
  return timeoutMs * 0.9;
}

async function openCoreDeps(
  { config, encryptionKeys, kv, limits, log, memory, passwordCost, storeTimeoutMs, runtime }:
    OpenServiceOptions,
): Promise<CoreDeps> {
  const patience = { runtime, ...storeTimeoutMs !== undefined && { timeoutMs: storeTimeoutMs } };
  const gated = withStoreGate(kv, { runtime, log, maxWaitMs: storeDeadlineMs(storeTimeoutMs) });
  // The committer knows by itself what to do about a store that fails.
  const committer = new GroupCommitter(gated, {
    ...patience,
    ...memory && { maxCachedEntries: memory.cachedValues },
  });
  const told = withStoreFailures(gated, patience);
  const shards = new LedgerShards(committer, runtime);
  const { contended } = shards;
  const { randomBytes } = runtime;
  const sealer = (purpose: string) => new Sealer(encryptionKeys, { purpose, randomBytes });
  const content = await openContentCipher(told, {
    sealer: createContentSealer(encryptionKeys, randomBytes),
    randomBytes,
    onUnreadable: (unreadable) => log.error("stored content cannot be decrypted", unreadable),
  });
  return {
    config,
    kv: told,
    committer,
    shards,
    windows: new WindowShards(committer, { runtime, contended }),
    runtime,
    log,
    limits: { ...DEFAULT_LIMITS, ...limits },
    passwordCost,
    tenants: new TenantStore(told, runtime),
    sealer,
    content,
  };
}

/** Where the agent of `/demo` is, once that is `opened`. */
interface OpeningDemo {
  agent: Service["demoAgent"];
  opened: Promise<void>;
}

/** The agent of `/demo`, where the configuration and the installation have one. */
function openDemo(
  { config, kv }: CoreDeps,
  { tenant, agents, vendorSlots, baseUrl }: {
    tenant: string;
    agents: AgentService;
    vendorSlots: ConnectionStore;
    baseUrl: string;
  },
): OpeningDemo {
  const find = async (): Promise<Service["demoAgent"]> => {
    const hasCredential = (await vendorSlots.list()).length > 0;
    if (!config.demoModel || !isDemoEnabled(config, { hasCredential })) return undefined;
    const id = await ensureDemoAgent({ kv, agents, tenant, baseUrl });
    return id === undefined ? undefined : { tenant, id };
  };
  const opened = find().then((agent) => void (demo.agent = agent));
  const demo: OpeningDemo = { agent: undefined, opened };
  return demo;
}

/** What a page that embeds the widget names. */
function embedAddresses(
  { config, baseUrl }: OpenServiceOptions,
  { widget }: ServedScripts,
): EmbedConfig {
  return { baseUrl, scriptBase: config.cdnUrl ?? baseUrl, integrity: widget.integrity };
}
