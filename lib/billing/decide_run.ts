import type { SessionProof } from "../store/credentials/session_binding.ts";
import type { ChatIdempotencyRecord } from "../store/idempotency_store.ts";
import { keys } from "../store/keys/keys.ts";
import {
  type ActiveRun,
  type ActiveRunState,
  type BudgetScope,
  newActiveRun,
} from "../store/runs/active_run.ts";
import type { RunFacts } from "../store/runs/run_record.ts";
import type { Transaction } from "../store/tx/operation.ts";
import {
  allottedScopeLimits,
  budgetScopesOf,
  readDivision,
  readScopeLedgers,
  retentionOf,
  type ScopeLedger,
  toLimitRejection,
} from "./budget_scope.ts";
import {
  callerKeys,
  type CountedRequest,
  countRequest,
  type RateLimitStatus,
} from "./count_request.ts";
import {
  countSlots,
  currentLedger,
  type Ledger,
  ledgerRejection,
  remainingBudget,
} from "./ledger.ts";
import { type Division, ledgerShardOf, spentElsewhere } from "./ledger_division.ts";
import type { LimitRejection } from "./limit_error.ts";
import type { Limits } from "./limits.ts";
import type { Caller, WindowRef } from "./request_windows.ts";
import { createRunHold, findStartedHold, startLease } from "./run_lease.ts";
import { findSession, takeSessionMessage } from "./session_message.ts";
import {
  admitVisitorRun,
  readVisitorAccount,
  remainingVisitorBudget,
  visitorAccountKeys,
  visitorRejection,
  writeVisitorAccount,
} from "./visitor_account.ts";

/** A message to be admitted. Money in micro-USD. */
export interface RunRequest {
  run: RunFacts;
  /** The maximum cost of the first step. */
  hold: number;
  /** The least that the run can work with: a shorter answer is better than none. */
  minHold: number;
  limits: Limits;
  caller: Caller;
  /** SHA-256 of the session token, for visitors. */
  sessionHash?: string | undefined;
  /** Of the key that the session is bound to, or will be. */
  proof?: SessionProof | undefined;
  /** The shard of the tenant's ledger; by default the first one. */
  ledgerKey?: string[] | undefined;
  /** The lease in that ledger which the run shares with others of its process. */
  sharedLease?: string | undefined;
  /** The least that an attempt to admit it has granted, whose outcome may be unknown. */
  attempted?: { hold?: number };
  /** All shards together may admit a run that holds nothing. */
  hasClearance?: boolean;
  /** Written in the same commit. */
  startHook?: StartHook | undefined;
  idempotency?: IdempotencyRequest | undefined;
}

/** What else is stored when a run starts. */
export interface StartHook {
  /** Stored in the run's own record while it is active. */
  state: ActiveRunState;
  estimatedBytes?: number;
  /** What `write` reads. */
  keys?: readonly Deno.KvKey[];
  /** Writes what does not fit into that record. */
  write?(tx: Transaction): void;
  /** Reverts `write`. */
  undo?(tx: Transaction): void;
}

/** The idempotency key of a message: sent again, the message returns the run it started. */
export interface IdempotencyRequest {
  key: Deno.KvKey;
  /** A keyed digest of the message, so that the message cannot be guessed from it. */
  fingerprint: string;
  /** The unkeyed digest that versions before 2026-11-22 stored, for a day. */
  legacyFingerprint?: string;
  ttlMs: number;
}

export interface Admittance {
  windows: RateLimitStatus;
  /** The granted hold, which the first step must not exceed. Micro-USD. */
  hold: number;
  softLimitPassed: boolean;
}

export type RunDecision =
  | { admitted: Admittance }
  | { replayed: { runId: string; windows: RateLimitStatus } }
  | { rejected: LimitRejection }
  /** The idempotency key was used for another body. */
  | { reused: true }
  /** The session has ended. */
  | { gone: true }
  /** The session is bound to another key, or the proof was used for another message. */
  | { unproven: true }
  /** The shard of a request window needs places from the other shards. */
  | { full: WindowRef }
  /** The shard of the tenant's ledger needs budget or slots from the other shards. */
  | { short: true };

export function runKeys(request: RunRequest): Deno.KvKey[] {
  const { run, caller, sessionHash, idempotency, startHook } = request;
  return [
    ...callerKeys(caller),
    ...budgetScopesOf(request).map(({ key }) => key),
    keys.ledgerDivision(run.tenant),
    ...(sessionHash === undefined ? [] : [keys.session(run.tenant, sessionHash)]),
    ...(idempotency === undefined ? [] : [idempotency.key]),
    ...visitorAccountKeys(run),
    ...(startHook?.keys ?? []),
  ];
}

/**
 * Applies all limits in order, all or nothing: counts the request and the message, takes a slot and reserves
 * money. Nothing is written unless every limit admits the run.
 */
export function decideRun(
  tx: Transaction,
  request: RunRequest & { id: number; now: number },
): RunDecision {
  const { run, now, limits } = request;
  const replay = findReplay(tx, request);
  if (replay !== undefined) return replay;
  const scopes = budgetScopesOf(request);
  const division = readDivision(tx, run.tenant);
  const ledgers = readScopeLedgers(tx, scopes, { now, division });
  const { attempted } = request;
  const [{ scope, ledger }] = ledgers as [ScopeLedger];
  const startedHold = findStartedHold(ledger, {
    ...{ scope, runId: run.runId, attempted: attempted?.hold },
  });
  const softLimitPassed = isPastSoftLimit(ledgers[0]!, { division, limits });
  const count = countRequest(tx, { ...request, isMessage: true });
  // An earlier commit of unknown outcome has admitted the run; do not count it twice.
  if (startedHold !== undefined) {
    const windows = "windows" in count ? count.windows : noneRemaining(limits);
    return { admitted: { windows, hold: startedHold, softLimitPassed } };
  }
  if (!("windows" in count)) return count;
  const session = takeSessionMessage(tx, request);
  if ("decision" in session) return session.decision;
  const visitor = readVisitorAccount(tx, run);
  const sessionEndsIn = session.endsIn;
  const message = { minHold: request.minHold, now, sentAt: run.startedAt, sessionEndsIn };
  const rejected = visitor && visitorRejection(visitor, message);
  if (rejected !== undefined) return { rejected };
  const ofVisitor = visitor ? remainingVisitorBudget(visitor, { now }) : Infinity;
  const hold = Math.min(request.hold, ofVisitor);
  const granted = grantHold(ledgers, { ...request, hold, division, sessionEndsIn });
  if (!("hold" in granted)) return granted;
  count.record();
  session.record();
  for (const { scope, moment } of ledgers) {
    tx.update<Ledger>(scope.key, (held, isOwn) => {
      const lease = { scope, runId: run.runId, hold: granted.hold, now };
      return startLease(currentLedger(held, moment), lease, isOwn);
    }, retentionOf(scope));
  }
  createRunHold(tx, { scopes, run, hold: granted.hold });
  if (attempted) attempted.hold = Math.min(attempted.hold ?? Infinity, granted.hold);
  if (visitor !== undefined) {
    const admitted = { runId: run.runId, hold: granted.hold, now, sentAt: run.startedAt };
    writeVisitorAccount(tx, run, admitVisitorRun(visitor, admitted));
  }
  recordRun(tx, request, scopes);
  const windows = { ...count.windows, ...session.windows };
  return { admitted: { windows, hold: granted.hold, softLimitPassed } };
}

function isPastSoftLimit(
  { scope, ledger: { spent, period } }: ScopeLedger,
  { division, limits }: { division: Division | undefined; limits: Limits },
): boolean {
  const elsewhere = spentElsewhere(division, { shard: ledgerShardOf(scope.key), period });
  return spent + elsewhere >= limits.softDailyCost;
}

function noneRemaining({ ipRequests }: Limits): RateLimitStatus {
  return { ip: { limit: ipRequests, remaining: 0, resetMs: 0 } };
}

/** A message sent again counts as a request, and returns the run that it started. */
function findReplay(
  tx: Transaction,
  request: RunRequest & CountedRequest,
): RunDecision | undefined {
  if (request.idempotency === undefined) return undefined;
  const known = tx.get<ChatIdempotencyRecord>(request.idempotency.key);
  if (known === undefined || known.exp <= request.now) return undefined;
  if (known.runId === request.run.runId) return undefined;
  const session = findSession(tx, request);
  if ("decision" in session) return session.decision;
  const { fingerprint, legacyFingerprint } = request.idempotency;
  if (known.fingerprint !== fingerprint && known.fingerprint !== legacyFingerprint) {
    return { reused: true };
  }
  const count = countRequest(tx, { ...request, isMessage: false });
  if (!("windows" in count)) return count;
  count.record();
  session.record();
  return { replayed: { runId: known.runId, windows: count.windows } };
}

/** The hold that all scopes have budget for, or the rejection of the first that has not. */
function grantHold(
  ledgers: readonly ScopeLedger[],
  request: RunRequest & { now: number; division: Division | undefined; sessionEndsIn: number },
): { hold: number } | { rejected: LimitRejection } | { short: true } {
  const { minHold, division } = request;
  let hold = request.hold;
  for (const { scope, ledger, moment } of ledgers) {
    const allotted = allottedScopeLimits(scope, { limits: request.limits, division, moment });
    if (allotted === undefined) return { short: true };
    const isCleared = scope.kind === "tenant" && hold === 0 && request.hasClearance === true;
    const limits = isCleared ? { ...allotted, hardLimit: undefined } : allotted;
    const isShared = scope.sharedLease !== undefined;
    const rejection = ledgerRejection(ledger, { minHold, limits, moment, isShared });
    const budget = remainingBudget(ledger, { limits, moment });
    const isShort = rejection !== undefined || budget < request.hold;
    // Only all shards together know whether the tenant's limit is reached.
    if (isShort && division !== undefined && scope.kind === "tenant") return { short: true };
    if (rejection !== undefined) {
      const streams = limits.streams ?? countSlots(ledger, moment);
      return { rejected: toLimitRejection(scope, { ...request, rejection, streams }) };
    }
    hold = Math.min(hold, budget);
  }
  return { hold };
}

/** Stores what another process needs to settle the run, and what a repeated message returns. */
function recordRun(
  tx: Transaction,
  { run, idempotency, startHook, now }: RunRequest & { now: number },
  scopes: BudgetScope[],
): void {
  startHook?.write?.(tx);
  tx.create(keys.activeRun(run.tenant, run.runId), newActiveRun(run, scopes, startHook?.state));
  if (idempotency === undefined) return;
  const { key, fingerprint, ttlMs } = idempotency;
  const { runId, visitor } = run;
  const of = { runId, ...visitor !== undefined && { visitor } };
  const record: ChatIdempotencyRecord = { v: 1, fingerprint, ...of, exp: now + ttlMs };
  tx.set(key, record, { expireIn: ttlMs });
}

/** The record of an admitted run with all that settling it needs. */
export function activeRunOf(request: RunRequest): ActiveRun {
  return newActiveRun(request.run, budgetScopesOf(request));
}
