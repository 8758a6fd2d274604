import { keys } from "../store/keys/keys.ts";
import type { Transaction } from "../store/tx/operation.ts";
import { allottedLimits, type Division, ledgerShardOf, tenantMoment } from "./ledger_division.ts";
import { dayOf, type LedgerLimits, type Moment } from "./ledger.ts";
import type { RunFacts } from "../store/runs/run_record.ts";
import type { Limits } from "./limits.ts";
import type { LimitScope } from "./limit_error.ts";

/** Days and sessions are kept a while after their end, for what settles late. */
const DAY_RETENTION_MS = 3 * 86_400_000;
const SESSION_RETENTION_MS = 60 * 60_000;

/** One ledger that a run is charged to; plain data, so that another process can settle it. */
export interface BudgetScope {
  kind: "tenant" | "session" | "address";
  key: string[];
}

/** Who is charged for a run. */
export interface Payer {
  tenant: string;
  /** Started with a session token; API keys and the dashboard are the tenant's own. */
  isVisitor: boolean;
  /** SHA-256 of the session token, on the widget path. */
  sessionHash?: string | undefined;
  /** The address as it is stored. */
  address: string;
  /** The shard of the tenant's ledger; the first one unless it is divided. */
  ledgerKey?: string[] | undefined;
}

/**
 * The accounts of a run: its tenant's day, and those of the visitor that the plan sets a limit on. A
 * backend chats for many people from one address, so only visitors are held to an address's limit.
 */
export function budgetScopesOf(
  { tenant, isVisitor, sessionHash, address, ledgerKey }: Payer,
  limits: Limits,
): BudgetScope[] {
  const key = ledgerKey ?? keys.tenantLedger(tenant);
  const accounts: BudgetScope[] = [{ kind: "tenant", key }];
  const bySession = limits.sessionStreams !== undefined || limits.sessionCost !== undefined;
  if (bySession && sessionHash !== undefined) {
    accounts.push({ kind: "session", key: keys.sessionLedger(tenant, sessionHash) });
  }
  if (limits.ipDailyCost !== undefined && isVisitor) {
    accounts.push({ kind: "address", key: keys.addressLedger(tenant, address) });
  }
  return accounts;
}

/** Who is charged for the run of a message. */
export function payerOf(
  { run: { tenant, source }, caller: { address }, sessionHash, ledgerKey }: {
    run: RunFacts;
    caller: { address: string };
    sessionHash?: string | undefined;
    ledgerKey?: string[] | undefined;
  },
): Payer {
  return { tenant, isVisitor: source.kind === "session", sessionHash, address, ledgerKey };
}

export function scopeLimits({ kind }: Pick<BudgetScope, "kind">, limits: Limits): LedgerLimits {
  if (kind === "tenant") return { streams: limits.streams, hardLimit: limits.hardDailyCost };
  if (kind === "address") return { hardLimit: limits.ipDailyCost };
  return { streams: limits.sessionStreams, hardLimit: limits.sessionCost };
}

/** How the limits of a tenant are divided, as the draft has it; the operation must name the key. */
export function readDivision(draft: Transaction, tenant: string): Division | undefined {
  return draft.get<Division>(keys.ledgerDivision(tenant));
}

/**
 * The limits that hold for an account's ledger, which may be one of several shards; nothing when that has
 * to ask for an allotment first.
 */
export function allottedScopeLimits(
  account: BudgetScope,
  { limits, division, moment: { period } }: {
    limits: Limits;
    division: Division | undefined;
    moment: Moment;
  },
): LedgerLimits | undefined {
  if (account.kind !== "tenant") return scopeLimits(account, limits);
  const all = { streams: limits.streams, hardLimit: limits.hardDailyCost };
  return allottedLimits(division, { limits: all, shard: ledgerShardOf(account.key), period });
}

/** The period of an account's ledger at a time: the UTC day, but a session's whole life is one. */
export function scopeMoment({ kind }: BudgetScope, now: number, division?: Division): Moment {
  if (kind === "tenant") return tenantMoment(now, division);
  return { now, period: kind === "session" ? "" : dayOf(now) };
}

/** The tenant's ledger is for good, the others are garbage after a while. */
export function retentionOf({ kind }: BudgetScope): { expireIn?: number } {
  if (kind === "tenant") return {};
  return { expireIn: kind === "session" ? SESSION_RETENTION_MS : DAY_RETENTION_MS };
}

const LIMIT_SCOPES: Record<BudgetScope["kind"], Record<"streams" | "cost", LimitScope>> = {
  tenant: { streams: "tenant_streams", cost: "tenant_daily_cost" },
  session: { streams: "session_streams", cost: "session_cost" },
  address: { streams: "ip_daily_cost", cost: "ip_daily_cost" },
};

export function limitScopeOf(
  { kind }: Pick<BudgetScope, "kind">,
  rejected: "streams" | "cost",
): LimitScope {
  return LIMIT_SCOPES[kind][rejected];
}
