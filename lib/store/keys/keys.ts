import { INSTALLATION_KEYS } from "./installation_keys.ts";
import { KNOWLEDGE_KEYS } from "./knowledge_keys.ts";

export type { DocumentName } from "./knowledge_keys.ts";

/** What names one row of usage. */
interface UsageRowName {
  tenant: string;
  /** UTC, `YYYY-MM-DD`. */
  day: string;
  agentId: string;
  source: string;
}

/** What names one conversation: the same id under another agent or page is another one. */
export interface ConversationName {
  tenant: string;
  id: string;
  agentId: string;
  /** A hash of the origin it is held on; empty for calls with an API key, which have none. */
  page: string;
}

/**
 * Every key of the store: this file is the storage schema. Plural noun first, then the owning
 * tenant wherever a record has one, so that a read under one tenant cannot name another's record.
 * Indexes (`x_by_y`) hold ids only. The few keys without a tenant are look-ups by an unguessable
 * or global name that *find* the tenant: a key prefix, a token hash, an e-mail address.
 */
export const keys = {
  /** Tenant record `{ v, id, name, createdAt }`. */
  tenant: (tenant: string) => ["tenants", tenant],
  tenants: () => ["tenants"],
  /** What the tenant may use: `{ v, models, limits, quotas, visitorOverrides, conversationDays }`. */
  plan: (tenant: string) => ["plans", tenant],
  /**
   * How much of its quotas a tenant uses; changes with every write that is counted. `area` is one of
   * `agents` and `knowledge`.
   */
  storageUsage: (tenant: string, area: string) => ["storage_usage", tenant, area],
  /** The same of the runs that ended on one day and are kept in conversations, by how long they are. */
  conversationUsage: (tenant: string, day: string, shard = 0) => [
    "storage_usage",
    tenant,
    "conversations",
    day,
    ...shardSuffix(shard),
  ],
  conversationUsages: (tenant: string) => ["storage_usage", tenant, "conversations"],
  /** Whether the runs that were stored before they were counted have been added. */
  conversationsCounted: (tenant: string) => ["conversations_counted", tenant],
  /** One priced model of the operator's catalogue. */
  catalogueEntry: (vendor: string, model: string) => ["catalogue_entries", vendor, model],
  catalogueEntries: () => ["catalogue_entries"],
  /** Changes with every change of an entry or a vendor slot: who holds a copy of them checks it. */
  catalogueVersion: () => ["catalogue_version"],

  /** How a vendor is reached that the environment does not set up; its credential is sealed. */
  providerConnection: (vendor: string) => ["vendor_slots", vendor],
  providerConnections: () => ["vendor_slots"],

  /** Agent record; `version` is inside. */
  agent: (tenant: string, id: string) => ["agents", tenant, id],
  /** Value: the agent's id. Ordered by creation time, then id. */
  agentByCreated: (tenant: string, at: number, id: string) => ["agents_by_created", tenant, at, id],
  agentsByCreated: (tenant: string) => ["agents_by_created", tenant],
  /** Value: the agent's id. One for each word of its name; `at` is when it was created. */
  agentByWord: (tenant: string, { word, at, id }: { word: string; at: number; id: string }) => [
    "agents_by_word",
    tenant,
    word,
    at,
    id,
  ],
  agentsByWord: (tenant: string) => ["agents_by_word", tenant],
  /** Whether the agents made before there was that index are in it. */
  agentWordIndexBuilt: (tenant: string) => ["agent_words_built", tenant],
  /** Value: the agent's id. By the knowledge base that it answers from; `at` is when it was created. */
  agentByBase: (tenant: string, base: string, { at, id }: { at: number; id: string }) => [
    "agents_by_base",
    tenant,
    base,
    at,
    id,
  ],
  agentsByBase: (tenant: string, base: string) => ["agents_by_base", tenant, base],
  /** The agent as it was at one version; the last 100 are kept. */
  agentVersion: (tenant: string, id: string, n: number) => ["agent_versions", tenant, id, n],
  allAgents: (tenant: string) => ["agents", tenant],
  allAgentVersions: (tenant: string) => ["agent_versions", tenant],
  agentVersions: (tenant: string, id: string) => ["agent_versions", tenant, id],
  /** A part of the body of one version, where it is too large for the records that name it. */
  agentBodyChunk: (tenant: string, id: string, version: number, n: number) => [
    "agent_body_parts",
    tenant,
    id,
    version,
    n,
  ],
  agentBodyChunks: (tenant: string, id: string) => ["agent_body_parts", tenant, id],
  agentVersionBodyChunks: (tenant: string, id: string, version: number) => [
    "agent_body_parts",
    tenant,
    id,
    version,
  ],

  /** API key record: hashes only, never a secret. */
  apiKey: (tenant: string, id: string) => ["api_keys", tenant, id],
  apiKeys: (tenant: string) => ["api_keys", tenant],
  allApiKeys: () => ["api_keys"],
  /** Value `{ tenant, id }`: the public prefix of a key finds its owner. */
  apiKeyByPrefix: (prefix: string) => ["api_keys_by_prefix", prefix],

  /** A secret for tools: its domains, and its value sealed for them. */
  toolSecret: (tenant: string, name: string) => ["tool_secrets", tenant, name],
  toolSecrets: (tenant: string) => ["tool_secrets", tenant],
  allToolSecrets: () => ["tool_secrets"],

  /** Widget session, under the SHA-256 of its token: the token itself is never stored. */
  session: (tenant: string, tokenHash: string) => ["sessions", tenant, tokenHash],

  /**
   * The first answer to a creating request, sealed, under the hash of its route, API key and
   * `Idempotency-Key`: the key's random id makes that unguessable.
   */
  idempotencyRecord: (scope: string) => ["receipts", scope],
  idempotencyRecords: () => ["receipts"],
  /** What the receipt itself has no room for, from 1. */
  idempotencyRecordChunk: (scope: string, n: number) => ["receipts", scope, n],

  /** Windows of an address, under its keyed hash: `{ v, all, chat, ids }`; shards as a ledger has. */
  addressWindows: (hash: string, shard = 0) => ["address_windows", hash, ...shardSuffix(shard)],
  /** Window of an API key, likewise: `{ v, all }`. Its newest stamp is when the key was last used. */
  apiKeyWindow: (tenant: string, id: string, shard = 0) => apiKeyWindowKey(tenant, id, shard),
  apiKeyWindows: (tenant: string) => ["api_key_windows", tenant],
  /**
   * A tenant's day: what is spent, and the slot and hold of each running run. Shards from 1 on exist
   * only where several processes are busy with the tenant at the same time.
   */
  tenantLedger: (tenant: string, shard = 0) => ["tenant_ledgers", tenant, ...shardSuffix(shard)],
  tenantLedgers: () => ["tenant_ledgers"],
  /** The limits' division among those shards: `{ v, revision, period, of, frozen, shards }`. */
  ledgerDivision: (tenant: string) => ["ledger_divisions", tenant],
  /** Which process writes which shard of contended records: `{ v, holders }`. */
  processShards: () => ["process_shards"],
  /** The same for one session, where the plan limits it. */
  sessionLedger: (tenant: string, tokenHash: string) => ["session_ledgers", tenant, tokenHash],
  /** The same for one address's day with one tenant, where the plan limits it. */
  addressLedger: (tenant: string, addressHash: string) => ["address_ledgers", tenant, addressHash],

  /** A run that is admitted and not settled: what settling it needs, and which process owns its log. */
  activeRun: (tenant: string, runId: string) => ["live_runs", tenant, runId],
  activeRuns: () => ["live_runs"],
  tenantActiveRuns: (tenant: string) => ["live_runs", tenant],
  /** The log of a run that has ended: whose it is, how far it is stored, its last frames. */
  runLogHead: (tenant: string, runId: string) => ["run_heads", tenant, runId],
  runLogHeads: () => ["run_heads"],
  /**
   * Part `n` (from 0) of a run's log: JSON lines in UTF-8, cut anywhere. While the run goes on the log
   * has as many as there are.
   */
  runLogChunk: (tenant: string, runId: string, n: number) => ["run_chunks", tenant, runId, n],
  runLogChunks: (tenant: string, runId: string) => ["run_chunks", tenant, runId],
  allRunLogChunks: () => ["run_chunks"],
  /** Changes whenever somebody has asked a process to stop one of its runs. */
  wakeKey: (owner: string) => ["process_bells", owner],
  /** A run that its process is asked to stop: `{ v, tenant, runId }`. */
  stopRequest: (owner: string, runId: string) => ["stop_requests", owner, runId],
  stopRequests: (owner: string) => ["stop_requests", owner],
  /** Value: the id of a run of this process that a client follows through another process. */
  followWakeKey: (owner: string) => ["watch_bells", owner],
  /** Somebody of another process follows the run: when that was last so. */
  runFollowed: (tenant: string, runId: string) => ["runs_watched", tenant, runId],
  /** Part `n` of what a running run was asked, JSON; only where that is long and is to be kept. */
  runInputChunk: (tenant: string, runId: string, n: number) => ["runs_asked", tenant, runId, n],
  runInputChunks: (tenant: string, runId: string) => ["runs_asked", tenant, runId],
  allRunInputChunks: () => ["runs_asked"],

  /** A conversation, or the mark that it was deleted. */
  conversation: (of: ConversationName) => ["conversations", ...conversationKeyParts(of)],
  conversationsById: (tenant: string, id: string) => ["conversations", tenant, id],
  allConversations: () => ["conversations"],
  /** Its `n`-th run, from 0: the facts, and how many parts its words have. */
  conversationRun: (
    of: ConversationName,
    n: number,
  ) => ["conversation_runs", ...conversationKeyParts(of), n],
  tenantConversationRuns: (tenant: string) => ["conversation_runs", tenant],
  conversationRuns: (of: ConversationName) => ["conversation_runs", ...conversationKeyParts(of)],
  allConversationRuns: () => ["conversation_runs"],
  /** Part `n` of what was said in a run: JSON in UTF-8, cut anywhere. */
  transcriptChunk: (tenant: string, runId: string, n: number) => [
    "conversation_parts",
    tenant,
    runId,
    n,
  ],
  transcriptChunks: (tenant: string, runId: string) => ["conversation_parts", tenant, runId],
  allTranscriptChunks: () => ["conversation_parts"],
  /** Value `[id, agentId, page]`, as the next. Ordered by when it was added to. */
  conversationByUpdated: (of: ConversationName, at: number) => [
    "conversations_by_updated",
    of.tenant,
    at,
    ...conversationKeyParts(of).slice(1),
  ],
  conversationsByUpdated: (tenant: string) => ["conversations_by_updated", tenant],
  conversationByAgent: (of: ConversationName, at: number) => [
    "conversations_by_agent",
    of.tenant,
    of.agentId,
    at,
    of.id,
    of.page,
  ],
  conversationsByAgent: (tenant: string, agentId: string) => [
    "conversations_by_agent",
    tenant,
    agentId,
  ],

  /** The same for what is rare: an end other than `stop`, or a cost. Ordered by when that was. */
  conversationByTag: (of: ConversationName, mark: string, at: number) => [
    "conversations_by_mark",
    of.tenant,
    mark,
    at,
    ...conversationKeyParts(of).slice(1),
  ],
  conversationsByTag: (tenant: string, mark: string) => ["conversations_by_mark", tenant, mark],
  ...KNOWLEDGE_KEYS,

  /** A settled run; kept with its conversation, or 90 days where none is kept. */
  run: (tenant: string, runId: string) => ["runs", tenant, runId],
  allRuns: () => ["runs"],
  /**
   * Sums of settled runs by model. `source` is an API key's id, `sessions` or `playground`. Each shard
   * has sums of its own, to be added up.
   */
  usageRow: (of: UsageRowName, shard = 0) => [
    "usage_rows",
    of.tenant,
    of.day,
    of.agentId,
    of.source,
    ...shardSuffix(shard),
  ],
  usageDay: (tenant: string, day: string) => ["usage_rows", tenant, day],
  /** What went wrong lately, counted by name: `{ v, items }`. */
  alerts: (tenant: string, kind: string) => ["attention", tenant, kind],
  /** Advice of the dashboard that somebody of the tenant does not want to see: `{ v, at }`. */
  dismissal: (tenant: string, advice: string) => ["dismissals", tenant, advice],
  dismissals: (tenant: string) => ["dismissals", tenant],
  /** Which run a chat's `Idempotency-Key` began: `{ v, fingerprint, runId, exp }`. */
  chatIdempotencyRecord: (
    tenant: string,
    scopeHash: string,
  ) => ["chat_receipts", tenant, scopeHash],
  allChatIdempotencyRecords: () => ["chat_receipts"],

  /** Dashboard user `{ v, id, tenant, email, passwordHash, role, operator }`. */
  user: (tenant: string, id: string) => ["users", tenant, id],
  users: (tenant: string) => ["users", tenant],
  /** Value `{ tenant, id }`, under the lower-cased address. */
  userByEmail: (email: string) => ["users_by_email", email],
  /** Dashboard sign-in, under the SHA-256 of its cookie. */
  signIn: (cookieHash: string) => ["sign_ins", cookieHash],
  /** A one-time link to join or to choose a new password, under the SHA-256 of its token. */
  accountLink: (tokenHash: string) => ["account_links", tokenHash],
  /** Value: the token's hash. `id` is an invitation's own, or the user's whose password it is. */
  accountLinkByTenant: (tenant: string, id: string) => ["account_links_by_tenant", tenant, id],
  accountLinksByTenant: (tenant: string) => ["account_links_by_tenant", tenant],
  /** Failed sign-ins with one e-mail, under its SHA-256: `{ v, failures: [{ at, place }] }`. */
  signInFailures: (emailHash: string) => ["sign_in_failures", emailHash],

  /** What was changed, by whom: `{ v, id, at, actor, kind, action, target, changes }`. */
  auditEntry: (tenant: string, at: number, id: string) => ["audit_entries", tenant, at, id],
  auditEntries: (tenant: string) => ["audit_entries", tenant],
  /** Value `[at, id]`. `filter` is a kind, an actor, or both. */
  auditEntryByFilter: (tenant: string, filter: string, at: number, id: string) => [
    "audit_entries_by_filter",
    tenant,
    filter,
    at,
    id,
  ],
  auditEntriesByFilter: (
    tenant: string,
    filter: string,
  ) => ["audit_entries_by_filter", tenant, filter],

  /** When the tenant last asked the embed doctor: `{ v, all }`. */
  doctorWindow: (tenant: string) => ["doctor_windows", tenant],
  ...INSTALLATION_KEYS,
} as const satisfies Record<string, (...args: never[]) => Deno.KvKey>;

function apiKeyWindowKey(tenant: string, id: string, shard: number): string[] {
  return ["api_key_windows", tenant, id, ...shardSuffix(shard)];
}

/** The first shard has the key that an undivided record has. */
function shardSuffix(shard: number): string[] {
  return shard === 0 ? [] : [String(shard)];
}

function conversationKeyParts({ tenant, id, agentId, page }: ConversationName): string[] {
  return [tenant, id, agentId, page];
}
