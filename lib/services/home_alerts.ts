import type { ModelRegistry } from "../providers/model_registry.ts";
import { HEALTH_WINDOW_MS, type RecentOutcomes } from "../providers/provider_health.ts";
import { PROVIDER_IDS, type ProviderId } from "../schemas/provider_id.ts";
import type { McpAuthorizations } from "./mcp/mcp_authorizations.ts";
import type { McpProblem } from "../store/credentials/mcp_authorization_store.ts";
import type { ApiKeyStore } from "../store/credentials/api_key_store.ts";
import type { Alert, AlertStore } from "../store/tenants/alert_store.ts";
import type { StorageFigure, StorageFigures, StoredQuota } from "../billing/storage_report.ts";
import type { UsageSummary } from "../billing/usage_report.ts";
import type { VisitorLimitsAdvice } from "./home_advice.ts";
import { isUnusedKey } from "./is_unused_key.ts";
import type { AgentService } from "./agent_service.ts";

/** Keys that expire within two weeks are reported. */
const EXPIRES_SOON_MS = 14 * 86_400_000;
const MAX_PER_KIND = 5;

/** Something that needs attention. Money in micro-USD. */
export type HomeAlert =
  | { kind: "hard_limit" | "soft_limit"; cost: number; limit: number }
  | FailingModel
  /** `agent` is absent if it was deleted. */
  | { kind: "origin_refused"; item: Alert; agent?: { id: string; name: string } }
  /** A canary was past one of its limits. */
  | { kind: "canary_rolled_back"; item: Alert; agent: { id: string; name: string } }
  | { kind: "key_expires"; id: string; name: string; expiresAt: string }
  /** A key that was not used for a long time, and may be revoked. */
  | { kind: "key_unused"; id: string; name: string; lastUsedAt?: string | undefined }
  /** An unconfigured proxy in front of the service; shown to operators. */
  | { kind: "proxy_untrusted"; hops: number }
  /** The service makes backups, but has made none for a long time; shown to operators. */
  | { kind: "backup_overdue"; lastAt?: number | undefined }
  /** An MCP server whose connection no longer works. */
  | { kind: "mcp_server"; url: string; problem: McpProblem }
  /** A quota of the plan is used up, or nearly. */
  | { kind: "quota"; name: StoredQuota; figure: StorageFigure }
  /** Conversations are deleted early or not stored, because their quota is full. */
  | { kind: "conversations_full"; isStored: boolean }
  /** No limit stops one visitor from using the tenant's whole daily budget. */
  | { kind: "visitor_limits"; advice: VisitorLimitsAdvice };

/** A model whose provider rejects or breaks off requests now. */
export interface FailingModel {
  kind: "vendor_failed";
  item: Alert;
  provider: ProviderId;
  model: string;
  /** As the operator named the connection. */
  providerName?: string | undefined;
  /** Requests of this process; absent if only other processes have sent some. */
  recent?: RecentOutcomes | undefined;
}

export interface HomeAlertDeps {
  alerts: Pick<AlertStore, "list">;
  apiKeys: Pick<ApiKeyStore, "list">;
  agents: Pick<AgentService, "find">;
  mcpAuthorizations: Pick<McpAuthorizations, "list">;
  providers: Pick<ModelRegistry, "connection" | "health">;
}

/** What needs attention in this tenant, the most pressing first. */
export async function readHomeAlerts(
  tenant: string,
  { alerts, apiKeys, agents, mcpAuthorizations, providers }: HomeAlertDeps,
  { usage, storage, visitorLimits, untrustedHops, backups, now }: {
    usage: UsageSummary;
    storage: StorageFigures;
    /** Absent if there is none, or if it is shown elsewhere. */
    visitorLimits?: VisitorLimitsAdvice | undefined;
    /** The number of unconfigured proxies, if the reader may change the configuration. */
    untrustedHops?: number | undefined;
    /** If the reader is an operator. */
    backups?: { lastAt: number | undefined; isOverdue: boolean } | undefined;
    now: number;
  },
): Promise<HomeAlert[]> {
  const [rollbacks, failures, refusals, full, keys, servers] = await Promise.all([
    alerts.list(tenant, "canary_rolled_back"),
    alerts.list(tenant, "vendor_failed"),
    alerts.list(tenant, "origin_refused"),
    alerts.list(tenant, "conversations_full"),
    apiKeys.list(tenant),
    mcpAuthorizations.list(tenant),
  ]);
  const rejected = refusals.slice(0, MAX_PER_KIND).map(async (item): Promise<HomeAlert> => {
    const agent = await agents.find(tenant, item.detail);
    const named = agent === undefined ? {} : { agent: { id: agent.id, name: agent.name } };
    return { kind: "origin_refused", item, ...named };
  });
  const rolledBack = rollbacks.slice(0, MAX_PER_KIND).map(async (item): Promise<HomeAlert[]> => {
    const agent = await agents.find(tenant, item.name);
    if (agent === undefined) return [];
    return [{ kind: "canary_rolled_back", item, agent: { id: agent.id, name: agent.name } }];
  });
  return [
    ...limits(usage),
    ...(await Promise.all(rolledBack)).flat(),
    ...backups?.isOverdue ? [{ kind: "backup_overdue" as const, lastAt: backups.lastAt }] : [],
    ...untrustedHops === undefined
      ? []
      : [{ kind: "proxy_untrusted" as const, hops: untrustedHops }],
    ...failingNow(failures, providers, now).slice(0, MAX_PER_KIND),
    ...disconnected(servers).slice(0, MAX_PER_KIND),
    ...await Promise.all(rejected),
    ...nearlyFull(storage),
    ...trimmed(full),
    ...expiringSoon(keys, now),
    ...unused(keys, now),
    ...visitorLimits === undefined
      ? []
      : [{ kind: "visitor_limits" as const, advice: visitorLimits }],
  ];
}

/** The failures of the last day whose model has not recovered. */
function failingNow(
  failures: readonly Alert[],
  providers: HomeAlertDeps["providers"],
  now: number,
): FailingModel[] {
  return failures.flatMap((item): FailingModel[] => {
    const provider = PROVIDER_IDS.find((id) => item.name.startsWith(`${id}/`));
    if (provider === undefined) return [];
    const model = item.name.slice(provider.length + 1);
    const recent = providers.health.recent(provider, model);
    const isFailing = recent?.isFailing ?? now - item.lastAt < HEALTH_WINDOW_MS;
    if (!isFailing) return [];
    const providerName = providers.connection(provider)?.name;
    return [{ kind: "vendor_failed", item, provider, model, providerName, recent }];
  });
}

function disconnected(
  servers: Awaited<ReturnType<McpAuthorizations["list"]>>,
): HomeAlert[] {
  return servers.flatMap(({ url, state, problem }): HomeAlert[] =>
    state === "attention" && problem !== undefined ? [{ kind: "mcp_server", url, problem }] : []
  );
}

function limits({ today: { cost }, softLimit, hardLimit }: UsageSummary): HomeAlert[] {
  if (cost >= hardLimit) return [{ kind: "hard_limit", cost, limit: hardLimit }];
  return cost >= softLimit ? [{ kind: "soft_limit", cost, limit: softLimit }] : [];
}

function expiringSoon(
  keys: Awaited<ReturnType<ApiKeyStore["list"]>>,
  now: number,
): HomeAlert[] {
  return keys
    .flatMap(({ id, name, state, expiresAt }) => {
      const isNear = expiresAt !== undefined && Date.parse(expiresAt) - now < EXPIRES_SOON_MS;
      return isNear && state === "active" ? [{ id, name, expiresAt }] : [];
    })
    .sort((a, b) => a.expiresAt < b.expiresAt ? -1 : 1)
    .slice(0, MAX_PER_KIND)
    .map((key) => ({ kind: "key_expires", ...key }));
}

/** The oldest use first. A key that expires soon needs no second reminder. */
function unused(keys: Awaited<ReturnType<ApiKeyStore["list"]>>, now: number): HomeAlert[] {
  return keys
    .filter((key) => isUnusedKey(key, now) && expiringSoon([key], now).length === 0)
    .sort((a, b) => (a.lastUsedAt ?? a.createdAt) < (b.lastUsedAt ?? b.createdAt) ? -1 : 1)
    .slice(0, MAX_PER_KIND)
    .map(({ id, name, lastUsedAt }) => ({ kind: "key_unused", id, name, lastUsedAt }));
}

/** Quotas are reported from this share on. */
const NEARLY_FULL = 0.9;

/** Full conversation quotas never reject chats, so they are reported by a separate item. */
function nearlyFull(storage: StorageFigures): HomeAlert[] {
  const names = Object.keys(storage) as StoredQuota[];
  return names
    .filter((name) => name !== "conversationRuns" && name !== "conversationBytes")
    .map((name) => ({ kind: "quota" as const, name, figure: storage[name] }))
    .filter(({ figure: { used, limit } }) => used >= limit * NEARLY_FULL);
}

function trimmed(full: readonly Alert[]): HomeAlert[] {
  if (full.length === 0) return [];
  const isStored = full.every(({ name }) => name !== "not_stored");
  return [{ kind: "conversations_full", isStored }];
}
