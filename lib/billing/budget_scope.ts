import { dayOf, untilMidnight } from "../platform/utc_day.ts";
import { keys } from "../store/keys/keys.ts";
import type { BudgetScope } from "../store/runs/active_run.ts";
import type { RunFacts } from "../store/runs/run_record.ts";
import type { Transaction } from "../store/tx/operation.ts";
import {
  currentLedger,
  type Ledger,
  type LedgerLimits,
  type LedgerRejection,
  type Moment,
} from "./ledger.ts";
import { allottedLimits, type Division, ledgerShardOf, tenantMoment } from "./ledger_division.ts";
import type { LimitRejection } from "./limit_error.ts";
import type { Limits, LimitScope } from "./limits.ts";
import { withLiveLease } from "./run_lease.ts";

/** How long day and session ledgers are stored after their end, for late settlements. */
const DAY_RETENTION_MS = 3 * 86_400_000;
const SESSION_RETENTION_MS = 60 * 60_000;

/** Active runs release slots and holds at any moment, so this wait is a hint and no promise. */
const RETRY_SOON_MS = 2_000;

interface ChargedRun {
  run: RunFacts;
  caller: { address: string };
  /** SHA-256 of the session token, for visitors. */
  sessionHash?: string | undefined;
  /** The shard of the tenant's ledger; by default the first one. */
  ledgerKey?: string[] | undefined;
  /** The lease in that ledger which the run shares with others of its process. */
  sharedLease?: string | undefined;
  limits: Limits;
}

/**
 * The scopes of a run: its tenant's day, and those of the visitor that the plan limits. A backend with an
 * API key chats for many people from one address, so address limits apply to visitors only.
 */
export function budgetScopesOf(
  { run: { tenant, source }, caller: { address }, sessionHash, ledgerKey, sharedLease, limits }:
    ChargedRun,
): BudgetScope[] {
  const key = ledgerKey ?? keys.tenantLedger(tenant);
  const scopes: BudgetScope[] = [{ kind: "tenant", key, ...sharedLease && { sharedLease } }];
  const isSessionLimited = limits.sessionStreams !== undefined || limits.sessionCost !== undefined;
  if (isSessionLimited && sessionHash !== undefined) {
    scopes.push({ kind: "session", key: keys.sessionLedger(tenant, sessionHash) });
  }
  if (limits.ipDailyCost !== undefined && source.kind === "session") {
    scopes.push({ kind: "address", key: keys.addressLedger(tenant, address) });
  }
  return scopes;
}

/** The limits of a scope as a whole. */
export function scopeLimits({ kind }: Pick<BudgetScope, "kind">, limits: Limits): LedgerLimits {
  if (kind === "tenant") return { streams: limits.streams, hardLimit: limits.hardDailyCost };
  if (kind === "address") return { hardLimit: limits.ipDailyCost };
  return { streams: limits.sessionStreams, hardLimit: limits.sessionCost };
}

/** How a tenant's limits are divided among shards; the operation must list the division's key. */
export function readDivision(tx: Transaction, tenant: string): Division | undefined {
  return tx.get<Division>(keys.ledgerDivision(tenant));
}

/**
 * The limits of a scope's ledger, which may be one of several shards; `undefined` if that shard must request
 * an allotment first.
 */
export function allottedScopeLimits(scope: BudgetScope, { limits, division, moment: { period } }: {
  limits: Limits;
  division: Division | undefined;
  moment: Moment;
}): LedgerLimits | undefined {
  if (scope.kind !== "tenant") return scopeLimits(scope, limits);
  const whole = { streams: limits.streams, hardLimit: limits.hardDailyCost };
  return allottedLimits(division, { limits: whole, shard: ledgerShardOf(scope.key), period });
}

/** The moment in a scope's ledger: its period is the UTC day, but a session has a single period. */
export function scopeMoment({ kind }: BudgetScope, now: number, division?: Division): Moment {
  if (kind === "tenant") return tenantMoment(now, division);
  return { now, period: kind === "session" ? "" : dayOf(now) };
}

export type ScopeLedger = { scope: BudgetScope; moment: Moment; ledger: Ledger };

/** The ledgers as the process of the run that they belong to sees them: it is alive, as its lease is. */
export function readScopeLedgers(
  tx: Transaction,
  scopes: readonly BudgetScope[],
  { now, division }: { now: number; division?: Division | undefined },
): ScopeLedger[] {
  return scopes.map((scope) => {
    const moment = scopeMoment(scope, now, division);
    const ledger = currentLedger(tx.get<Ledger>(scope.key), moment);
    const { sharedLease } = scope;
    return { scope, moment, ledger: withLiveLease(ledger, { sharedLease, now }) };
  });
}

/** Write options: a tenant's ledger is permanent, the others expire. */
export function retentionOf({ kind }: BudgetScope): { expireIn?: number } {
  if (kind === "tenant") return {};
  return { expireIn: kind === "session" ? SESSION_RETENTION_MS : DAY_RETENTION_MS };
}

const LIMIT_SCOPES: Record<BudgetScope["kind"], Record<"streams" | "cost", LimitScope>> = {
  tenant: { streams: "tenant_streams", cost: "tenant_daily_cost" },
  session: { streams: "session_streams", cost: "session_cost" },
  address: { streams: "ip_daily_cost", cost: "ip_daily_cost" },
};

/** The 429 for a rejection by a scope's ledger, which allows `streams` simultaneous streams. */
export function toLimitRejection(
  { kind }: Pick<BudgetScope, "kind">,
  { rejection, streams, limits, now, sessionEndsIn = 0 }: {
    rejection: LedgerRejection;
    streams: number;
    limits: Limits;
    now: number;
    sessionEndsIn?: number;
  },
): LimitRejection {
  if (rejection.rejected === "streams") {
    return { scope: LIMIT_SCOPES[kind].streams, limit: streams, retryAfterMs: RETRY_SOON_MS };
  }
  const isSession = kind === "session";
  const periodEndsIn = isSession ? sessionEndsIn : untilMidnight(now);
  return {
    scope: LIMIT_SCOPES[kind].cost,
    limit: scopeLimits({ kind }, limits).hardLimit! / 1_000_000,
    ...isSession ? {} : { windowSeconds: 86_400 },
    retryAfterMs: rejection.isSpent ? periodEndsIn : RETRY_SOON_MS,
  };
}
