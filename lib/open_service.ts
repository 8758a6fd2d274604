import { Accounts } from "./accounts/accounts.ts";
import { PasswordHasher } from "./accounts/password_hasher.ts";
import { Team } from "./accounts/team.ts";
import { Toolsets } from "./agent/tools/toolsets.ts";
import { AgentAdmin } from "./admin/agent_admin.ts";
import { ConversationAdmin } from "./admin/conversation_admin.ts";
import { CursorSeal } from "./admin/cursor_seal.ts";
import { KnowledgeAdmin } from "./admin/knowledge_admin.ts";
import { ModelAccess } from "./admin/model_access.ts";
import { SessionAdmin } from "./admin/session_admin.ts";
import { ChatService } from "./chat/chat_service.ts";
import { noteVendorFailure } from "./chat/note_vendor_failure.ts";
import { RunDirectory } from "./chat/run_directory.ts";
import { type Config, demoOn } from "./config.ts";
import { Committer } from "./committer/committer.ts";
import { Signer } from "./credentials/hashing.ts";
import { RememberedHashes } from "./credentials/remembered_hashes.ts";
import { Sealer } from "./credentials/sealing.ts";
import { Doctor } from "./doctor/doctor.ts";
import { Egress } from "./egress/egress.ts";
import { ensureDemoAgent } from "./demo_agent.ts";
import { knowledgeTools } from "./knowledge/search/knowledge_tools.ts";
import { openKnowledgeSearch } from "./knowledge/search/open_knowledge_search.ts";
import { DocumentProcessor } from "./knowledge/document_processor.ts";
import { Admission } from "./limits/admission.ts";
import { DeadRuns } from "./limits/dead_runs.ts";
import { LeaseWatch } from "./limits/lease_watch.ts";
import { DEFAULT_LIMITS, type Limits } from "./limits/limits.ts";
import type { Logger } from "./log.ts";
import { ModelRegistry } from "./models/model_registry.ts";
import type { Service } from "./service.ts";
import { AgentStore } from "./storage/agent_store.ts";
import { ApiKeyStore } from "./storage/api_key_store.ts";
import { AuditStore } from "./storage/audit_store.ts";
import { AttentionStore } from "./storage/attention_store.ts";
import { type CatalogueEntry, CatalogueStore } from "./storage/catalogue_store.ts";
import { ConversationStore } from "./storage/conversation_store.ts";
import { DocumentStore } from "./storage/document_store.ts";
import { DocumentTasks } from "./storage/document_tasks.ts";
import { KnowledgeBaseStore } from "./storage/knowledge_base_store.ts";
import { ReceiptStore } from "./storage/receipt_store.ts";
import { keys } from "./storage/keys.ts";
import { ReleaseStore } from "./storage/release_store.ts";
import { SECRETS_PURPOSE, SecretStore } from "./storage/secret_store.ts";
import { SessionStore } from "./storage/session_store.ts";
import { withStoreFailures } from "./storage/store_failures.ts";
import { TenantStore } from "./storage/tenant_store.ts";
import { SLOTS_PURPOSE, VendorSlotStore } from "./storage/vendor_slot_store.ts";
import { UsageReports } from "./usage/usage_report.ts";
import type { System } from "./system.ts";
import { describeWidgetBundle } from "./widget_bundle.ts";

/** What pages of others load. */
export interface BuiltScripts {
  widget: Uint8Array;
  client: Uint8Array;
  /** TypeScript declarations of the client. */
  clientTypes: string;
}

/** What the process hands in: the outside world, opened. */
export interface OpenServiceOptions {
  config: Config;
  kv: Deno.Kv;
  hmacSecrets: readonly string[];
  /** Base64 of 32 bytes. */
  encryptionKey: string;
  system: System;
  log: Logger;
  /** Where this service is reached, without a trailing slash. */
  baseUrl: string;
  /** The built browser scripts. */
  scripts: BuiltScripts;
  /** Entries of `CATALOGUE`. */
  catalogue?: readonly CatalogueEntry[];
  /** Limits other than the specification's, for tests and benchmarks. */
  limits?: Partial<Limits>;
  /** Closes what the process opened for the service. */
  close: () => Promise<void>;
}

/** Composes the service on an open store; makes the default tenant and the demo agent once. */
export async function openService(options: OpenServiceOptions): Promise<Service> {
  const { config, system, log, baseUrl } = options;
  // The committer knows by itself what to do about a store that fails.
  const kv = withStoreFailures(options.kv, { system });
  const { encryptionKey } = options;
  const sealer = (purpose: string) =>
    new Sealer(encryptionKey, { purpose, randomBytes: system.randomBytes });
  const tenants = new TenantStore(kv, system);
  const secrets = new SecretStore(kv, { system, sealer: sealer(SECRETS_PURPOSE) });
  const bases = new KnowledgeBaseStore(kv, system);
  const documents = new DocumentProcessor({
    tasks: new DocumentTasks(kv, system),
    bases,
    system,
    log,
    onReady: (of) => knowledgeSearch.prepare(of),
  });
  const registry = new ModelRegistry(system, {
    vendors: config.vendors,
    report: (event) => log.warn("a model vendor failed", { ...event }),
  });
  const vendorSlots = new VendorSlotStore(kv, { system, sealer: sealer(SLOTS_PURPOSE) });
  const setUpSlots = async () => {
    const { slots, unreadable } = await vendorSlots.open();
    for (const vendor of unreadable) log.error("a vendor's credential does not open", { vendor });
    registry.configure(slots);
  };
  const catalogue = new CatalogueStore(kv, { demoModel: config.demoModel, refresh: setUpSlots });
  const models = new ModelAccess({ catalogue, tenants });
  const signer = new Signer(options.hmacSecrets);
  const cursors = new CursorSeal(signer);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const committer = new Committer(options.kv, { system });
  const admission = new Admission(committer, {
    system,
    onLost: (runId) => chat.stopLost(runId),
  });
  const leases = new LeaseWatch(system);
  const directory = new RunDirectory({ kv, committer, admission, system, tenants, leases });
  const deadRuns = new DeadRuns(kv, {
    admission,
    leases,
    system,
    log,
    settle: (live, lease) => directory.settleDead(live, lease),
  });
  const egress = new Egress({ allow: config.egressAllow, system });
  const attention = new AttentionStore(kv, system);
  const knowledgeSearch = openKnowledgeSearch({
    ...{ kv, system, log, committer, catalogue, tenants, limits },
    embedder: registry.embedder,
  });
  const knowledge = new KnowledgeAdmin({
    bases,
    documents: new DocumentStore(kv, system),
    processor: documents,
    search: knowledgeSearch,
    cursors,
  });
  const agents = new AgentAdmin(new AgentStore(kv, system), { models, knowledge, cursors });
  const chat = new ChatService({
    admission,
    directory,
    models,
    registry,
    system,
    log,
    unwatchedMs: config.unwatchedRunMs,
    onEnded: (run) => noteVendorFailure(attention, run),
    toolsets: new Toolsets({
      egress,
      findSecret: (tenant, name) => secrets.find(tenant, name),
      builtIn: (request) => knowledgeTools(knowledgeSearch, request),
    }),
  });
  const closing = new AbortController();
  const onRevoked = (tenant: string, id: string) => chat.cancelRunsOf(tenant, id);
  const tenant = (await tenants.ensureDefault()).id;
  await catalogue.addMissing(options.catalogue ?? []);
  // In memory before the first message asks for it, and the vendor slots with it.
  await catalogue.list();
  const hasCredential = (await vendorSlots.list()).length > 0;
  const offerDemo = config.demoModel && demoOn(config, { hasCredential });
  const demoId = offerDemo ? await ensureDemoAgent({ kv, agents, tenant, baseUrl }) : undefined;
  const hasher = new PasswordHasher({ randomBytes: system.randomBytes });
  const widget = await describeWidgetBundle(options.scripts.widget);
  const client = await describeWidgetBundle(options.scripts.client);
  const sessions = new SessionStore(kv, system);
  const releases = new ReleaseStore(kv, system);
  await releases.keep("widget", widget);
  await releases.keep("client", client);
  return {
    config,
    system,
    log,
    baseUrl,
    accounts: new Accounts(kv, { system, setupToken: config.setupToken, hasher }),
    agents,
    attention,
    apiKeys: new ApiKeyStore(kv, { system, signer, onRevoked }),
    audit: new AuditStore(kv),
    catalogue,
    chat,
    conversations: new ConversationAdmin(new ConversationStore(kv, system), {
      cursors,
      runs: directory,
    }),
    doctor: new Doctor({
      egress,
      committer,
      releases,
      sessions,
      system,
      addresses: {
        baseUrl,
        scriptBase: config.cdnUrl ?? baseUrl,
        integrity: widget.integrity,
      },
      signal: closing.signal,
    }),
    knowledgeSearch,
    documents,
    knowledge,
    runs: directory,
    deadRuns,
    receipts: new ReceiptStore(kv, { system, sealer: sealer("receipts") }),
    secrets,
    sessions: new SessionAdmin(sessions, { system, onRevoked }),
    team: new Team(kv, { system, hasher }),
    tenants,
    vendorSlots,
    vendors: registry,
    limits,
    usage: new UsageReports(kv, { system, tenants, limits }),
    widget,
    client,
    clientTypes: options.scripts.clientTypes,
    releases,
    demoAgent: demoId === undefined ? undefined : { tenant, id: demoId },
    meterParts: {
      committer,
      admission,
      signer: new RememberedHashes(signer),
      tenants,
      limits,
    },
    closing: closing.signal,
    ready: async () => !chat.draining && await isReachable(kv),
    drain: async (graceMs) => {
      await chat.drain(graceMs);
      closing.abort();
    },
    close: async () => {
      await deadRuns.close();
      await documents.close();
      await chat.stopAll();
      await knowledgeSearch.close();
      closing.abort();
      await attention.close();
      registry.close();
      directory.close();
      admission.close();
      await options.close();
    },
  };
}

function isReachable(kv: Deno.Kv): Promise<boolean> {
  return kv.get(keys.installation("default_tenant")).then(() => true, () => false);
}
