import { ATTACHMENT_KEYS } from "./attachment_keys.ts";
import { AUDIT_KEYS } from "./audit_keys.ts";
import { CONFIGURATION_KEYS } from "./configuration_keys.ts";
import { FEEDBACK_KEYS } from "./feedback_keys.ts";
import { INSTALLATION_KEYS } from "./installation_keys.ts";
import { KNOWLEDGE_KEYS } from "./knowledge_keys.ts";
import { ACCOUNT_KEYS } from "./account_keys.ts";
import { OIDC_KEYS } from "./oidc_keys.ts";
import { MEMORY_KEYS } from "./memory_keys.ts";
import { CONVERSATION_KEYS, RUN_KEYS } from "./run_keys.ts";
import { SEARCH_KEYS } from "./search_keys.ts";
import { TEST_SET_KEYS } from "./test_set_keys.ts";
import { TRIAL_KEYS } from "./trial_keys.ts";
import { UNANSWERED_KEYS } from "./unanswered_keys.ts";

export type { DocumentName, WebSourceName } from "./knowledge_keys.ts";
export type { MemoryName } from "./memory_keys.ts";
export type { ConversationName } from "./run_keys.ts";

/**
 * Every key of the store: these builders are the storage schema. Plural noun first, then the owning
 * tenant if a record has one, so that a read under one tenant cannot name another's record. Indexes
 * (`x_by_y`) hold ids only. The few keys without a tenant are look-ups by an unguessable or global name
 * that *find* the tenant: a key prefix, a token hash, an e-mail address.
 */
export const keys = {
  /** Tenant record `{ v, id, name, createdAt }`. */
  tenant: (tenant: string) => ["tenants", tenant],
  tenants: () => ["tenants"],
  /** A tenant that is being deleted: `{ v, startedAt, clearedAt }`. */
  tenantDeletion: (tenant: string) => ["tenant_deletions", tenant],
  tenantDeletions: () => ["tenant_deletions"],
  /**
   * What the tenant may use: `{ v, models, limits, quotas, visitorOverrides, conversationDays,
   * auditDays }`.
   */
  plan: (tenant: string) => ["plans", tenant],
  /**
   * How much of its quotas a tenant uses; changes with every counted write. `area` is `agents`,
   * `knowledge` or `attachments`.
   */
  storageUsage: (tenant: string, area: string) => ["storage_usage", tenant, area],
  /** Changes when a user, API key or secret is added: a step that adds one checks it. */
  quotaAdditions: (tenant: string, quota: string) => ["quota_additions", tenant, quota],
  /** One priced model of the operator's catalogue. */
  catalogueEntry: (vendor: string, model: string) => ["catalogue_entries", vendor, model],
  catalogueEntries: () => ["catalogue_entries"],
  /** Changes with every entry and every provider connection: caches compare its version. */
  catalogueVersion: () => ["catalogue_version"],

  /** A provider connection set up in the dashboard; its credential is sealed. */
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
  /** Exists once the agents of earlier releases are in that index. */
  agentWordIndexBuilt: (tenant: string) => ["agent_words_built", tenant],
  /** Value: the agent's id. By the knowledge base it uses; `at` is when it was created. */
  agentByBase: (tenant: string, base: string, { at, id }: { at: number; id: string }) => [
    "agents_by_base",
    tenant,
    base,
    at,
    id,
  ],
  agentsByBase: (tenant: string, base: string) => ["agents_by_base", tenant, base],
  /** The agent at one version; the plan says how many versions are stored. */
  agentVersion: (tenant: string, id: string, n: number) => ["agent_versions", tenant, id, n],
  /** Value `{ v, name, appearance }`: what any page may read, if the agent has an appearance. */
  appearance: (agentId: string) => ["appearances", agentId],
  /** Value `{ v, tenant, agentId }`: finds the agent of a share link. */
  share: (shareId: string) => ["shares", shareId],
  /** Value: the id of the agent's share link, while it is switched on. */
  shareByAgent: (tenant: string, agentId: string) => ["shares_by_agent", tenant, agentId],
  allAgents: (tenant: string) => ["agents", tenant],
  allAgentVersions: (tenant: string) => ["agent_versions", tenant],
  agentVersions: (tenant: string, id: string) => ["agent_versions", tenant, id],
  /** A chunk of the body of one version that is too large for its record. */
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
  /** Value `{ tenant, id }`: finds a key by its public prefix. */
  apiKeyByPrefix: (prefix: string) => ["api_keys_by_prefix", prefix],

  /** A secret for tools: its domains, and its value sealed for them. */
  toolSecret: (tenant: string, name: string) => ["tool_secrets", tenant, name],
  toolSecrets: (tenant: string) => ["tool_secrets", tenant],
  allToolSecrets: () => ["tool_secrets"],

  /** A tenant's authorization at an MCP server, by a hash of its URL; its tokens are sealed. */
  mcpAuthorization: (tenant: string, id: string) => ["mcp_authorizations", tenant, id],
  mcpAuthorizations: (tenant: string) => ["mcp_authorizations", tenant],
  allMcpAuthorizations: () => ["mcp_authorizations"],

  /** Widget session, under the SHA-256 of its token: the token itself is never stored. */
  session: (tenant: string, tokenHash: string) => ["sessions", tenant, tokenHash],
  sessions: (tenant: string) => ["sessions", tenant],
  allSessions: () => ["sessions"],

  /** An erasure in progress `{ v, id, requestedAt, runs }`, under the keyed hash of the visitor's id. */
  visitorErasure: (tenant: string, visitor: string) => ["visitor_erasures", tenant, visitor],
  visitorErasures: () => ["visitor_erasures"],
  /** Its state, for the tenant `{ v, id, requestedAt, finishedAt }`: does not say whose it is. */
  erasure: (tenant: string, id: string) => ["erasures", tenant, id],

  /**
   * The first response to a creating request, sealed, under the hash of its route, API key and
   * `Idempotency-Key`: the key's random id makes that unguessable.
   */
  idempotencyRecord: (scope: string) => ["receipts", scope],
  idempotencyRecords: () => ["receipts"],
  /** The rest of a record that is too large for one value, from 1. */
  idempotencyRecordChunk: (scope: string, n: number) => ["receipts", scope, n],

  ...RUN_KEYS,
  ...CONVERSATION_KEYS,
  ...FEEDBACK_KEYS,
  ...SEARCH_KEYS,
  ...TEST_SET_KEYS,
  ...TRIAL_KEYS,
  ...UNANSWERED_KEYS,
  ...KNOWLEDGE_KEYS,
  ...MEMORY_KEYS,
  ...ATTACHMENT_KEYS,
  ...CONFIGURATION_KEYS,

  /** Recent problems, counted by name: `{ v, items }`. */
  alerts: (tenant: string, kind: string) => ["attention", tenant, kind],
  /** Advice that a user dismissed for the whole tenant: `{ v, at }`. */
  dismissal: (tenant: string, advice: string) => ["dismissals", tenant, advice],
  dismissals: (tenant: string) => ["dismissals", tenant],
  /** The run that a chat's `Idempotency-Key` started: `{ v, fingerprint, runId, exp }`. */
  chatIdempotencyRecord: (
    tenant: string,
    scopeHash: string,
  ) => ["chat_receipts", tenant, scopeHash],
  chatIdempotencyRecords: (tenant: string) => ["chat_receipts", tenant],
  allChatIdempotencyRecords: () => ["chat_receipts"],

  /** Dashboard user `{ v, id, tenant, email, passwordHash, role, operator }`. */
  user: (tenant: string, id: string) => ["users", tenant, id],
  users: (tenant: string) => ["users", tenant],
  allUsers: () => ["users"],
  /** Value `{ tenant, id }`, under the lower-cased address. */
  userByEmail: (email: string) => ["users_by_email", email],
  /** Dashboard sign-in, under the SHA-256 of its cookie. */
  signIn: (cookieHash: string) => ["sign_ins", cookieHash],
  /** A one-time link to join or to choose a new password, under the SHA-256 of its token. */
  accountLink: (tokenHash: string) => ["account_links", tokenHash],
  /** Value: the token's hash. `id` is the invitation's, or the user's for a password reset. */
  accountLinkByTenant: (tenant: string, id: string) => ["account_links_by_tenant", tenant, id],
  accountLinksByTenant: (tenant: string) => ["account_links_by_tenant", tenant],
  /** Failed sign-ins with one e-mail, under its SHA-256: `{ v, failures: [{ at, place }] }`. */
  signInFailures: (emailHash: string) => ["sign_in_failures", emailHash],

  /** When the tenant last used the embed doctor: `{ v, all }`. */
  doctorWindow: (tenant: string) => ["doctor_windows", tenant],
  ...AUDIT_KEYS,
  ...ACCOUNT_KEYS,
  ...OIDC_KEYS,
  ...INSTALLATION_KEYS,
} as const satisfies Record<string, (...args: never[]) => Deno.KvKey>;
