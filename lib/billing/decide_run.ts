import type { Transaction } from "../store/tx/operation.ts";
import { keys } from "../store/keys/keys.ts";
import { type Session, sessionExpireIn } from "../store/credentials/session_store.ts";
import type { RunFacts } from "../store/runs/run_record.ts";
import {
  allottedScopeLimits,
  type BudgetScope,
  budgetScopesOf,
  limitScopeOf,
  payerOf,
  readDivision,
  retentionOf,
  scopeLimits,
  scopeMoment,
} from "./budget_scope.ts";
import {
  callerKeys,
  type CountedRequest,
  countRequest,
  type RateLimitStatus,
} from "./count_request.ts";
import { type Division, ledgerShardOf, spentElsewhere } from "./ledger_division.ts";
import {
  countSlots,
  currentLedger,
  findLease,
  type Ledger,
  type LedgerRejection,
  ledgerRejection,
  type Moment,
  remainingBudget,
  setLease,
  untilMidnight,
} from "./ledger.ts";
import type { Limits } from "./limits.ts";
import { type ActiveRun, type ActiveRunState, newActiveRun } from "../store/runs/active_run.ts";
import type { WindowStatus } from "./rate_window.ts";
import type { LimitRejection } from "./limit_error.ts";
import type { Caller, WindowRef } from "./request_windows.ts";

/** Slots and holds of running runs come free at any moment: a hint, not a promise. */
const RETRY_SOON_MS = 2_000;

/** A message that wants in. Money in micro-USD. */
export interface RunRequest {
  run: RunFacts;
  /** What its first step can cost at most. */
  hold: number;
  /** What it can do with at least: less output is better than none. */
  minHold: number;
  limits: Limits;
  caller: Caller;
  /** SHA-256 of the session token, on the widget path. */
  sessionHash?: string | undefined;
  /** The shard of the tenant's ledger; the first one unless it is divided. */
  ledgerKey?: string[] | undefined;
  /** All shards together have room for a run that holds nothing. */
  hasClearance?: boolean;
  /** Written in the same commit, as the beginning of what the run leaves behind. */
  startHook?: StartHook | undefined;
  /** Names the one run that a repeated message means. */
  idempotency?: IdempotencyRequest | undefined;
}

/** What else is begun with a run. */
export interface StartHook {
  /** Kept with the run while it goes on. */
  state: ActiveRunState;
  /** About how many bytes it writes, where they are many. */
  estimatedBytes?: number;
  /** Notes what has no room there. */
  write?(draft: Transaction): void;
  /** Takes that back. */
  undo?(draft: Transaction): void;
}

export interface IdempotencyRequest {
  key: Deno.KvKey;
  /** A keyed digest of the message, which nobody can guess it by. */
  fingerprint: string;
  /** The digest without a key that versions before 2026-11-22 stored; they are kept for a day. */
  legacyFingerprint?: string;
  /** How long it is remembered, milliseconds. */
  ttlMs: number;
}

/** Which run an `Idempotency-Key` began. */
export interface ChatIdempotencyRecord {
  v: 1;
  fingerprint: string;
  runId: string;
  /** Milliseconds; decides, `expireIn` only collects garbage. */
  exp: number;
}

/** A message that was let in. */
export interface Admittance {
  windows: RateLimitStatus;
  /** What was set aside: the first step may cost no more. Micro-USD. */
  hold: number;
  /** The tenant's day is past its soft limit. */
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
  /** The shard of a request window needs more of the places that the other shards have. */
  | { full: WindowRef }
  /** The shard of the tenant's ledger needs more of what the other shards have. */
  | { short: true };

/** The keys that letting a message in touches. */
export function runKeys(request: RunRequest): Deno.KvKey[] {
  const { run, limits, caller, sessionHash, idempotency } = request;
  return [
    ...callerKeys(caller),
    ...budgetScopesOf(payerOf(request), limits).map(({ key }) => key),
    keys.ledgerDivision(run.tenant),
    ...(sessionHash === undefined ? [] : [keys.session(run.tenant, sessionHash)]),
    ...(idempotency === undefined ? [] : [idempotency.key]),
  ];
}

/**
 * Every limit in order, all or nothing: the request and the message are counted, a slot is taken and
 * money set aside; nothing is written before the last of them has let the run pass.
 */
export function decideRun(
  draft: Transaction,
  request: RunRequest & { id: number; now: number },
): RunDecision {
  const { run, now, limits } = request;
  const replay = findReplay(draft, request);
  if (replay !== undefined) return replay;
  const accounts = budgetScopesOf(payerOf(request), limits);
  const division = readDivision(draft, run.tenant);
  const ledgers = accounts.map((account) => {
    const moment = scopeMoment(account, now, division);
    return { account, moment, ledger: currentLedger(draft.get<Ledger>(account.key), moment) };
  });
  const lease = findLease(ledgers[0]!.ledger, run.runId);
  const { spent, period } = ledgers[0]!.ledger;
  const elsewhere = spentElsewhere(division, { shard: ledgerShardOf(accounts[0]!.key), period });
  const softLimitPassed = spent + elsewhere >= limits.softDailyCost;
  const count = countRequest(draft, { ...request, isMessage: true });
  // Our own commit of unknown outcome was made: it is told, and not counted twice.
  if (lease !== undefined) {
    const left = "windows" in count ? count.windows : noneLeft(limits);
    return { admitted: { windows: left, hold: lease.hold, softLimitPassed } };
  }
  if (!("windows" in count)) return count;
  const session = takeSessionMessage(draft, request);
  if ("decision" in session) return session.decision;
  const granted = grantHold(ledgers, { ...request, division, sessionEndsIn: session.leftMs });
  if (!("hold" in granted)) return granted;
  count.record();
  session.note();
  for (const { account, moment } of ledgers) {
    draft.update<Ledger>(account.key, (held, isOwn) => {
      const lease = { runId: run.runId, hold: granted.hold, now };
      return setLease(currentLedger(held, moment), lease, isOwn);
    }, retentionOf(account));
  }
  recordRun(draft, request, accounts);
  const left = { ...count.windows, ...(session.left && { session_messages: session.left }) };
  return { admitted: { windows: left, hold: granted.hold, softLimitPassed } };
}

const noneLeft = ({ ipRequests }: Limits): RateLimitStatus => ({
  ip: { limit: ipRequests, remaining: 0, resetMs: 0 },
});

/** A message sent again is counted as a request, and answered by the run it began. */
function findReplay(
  draft: Transaction,
  request: RunRequest & Omit<CountedRequest, "isMessage">,
): RunDecision | undefined {
  if (request.idempotency === undefined) return undefined;
  const known = draft.get<ChatIdempotencyRecord>(request.idempotency.key);
  if (known === undefined || known.exp <= request.now) return undefined;
  if (known.runId === request.run.runId) return undefined;
  const { fingerprint, legacyFingerprint } = request.idempotency;
  if (known.fingerprint !== fingerprint && known.fingerprint !== legacyFingerprint) {
    return { reused: true };
  }
  const count = countRequest(draft, { ...request, isMessage: false });
  if (!("windows" in count)) return count;
  count.record();
  return { replayed: { runId: known.runId, windows: count.windows } };
}

/** One message of the session, where there is one. */
function takeSessionMessage(
  draft: Transaction,
  { run, sessionHash, now }: { run: RunFacts; sessionHash?: string | undefined; now: number },
): { decision: RunDecision } | { leftMs: number; left?: WindowStatus; note: () => void } {
  if (sessionHash === undefined) return { leftMs: 0, note: () => {} };
  const key = keys.session(run.tenant, sessionHash);
  const session = draft.get<Session>(key);
  const leftMs = (session?.exp ?? 0) - now;
  if (session === undefined || leftMs <= 0) return { decision: { gone: true } };
  if (session.messages >= session.messageCap) {
    const limit = session.messageCap;
    return { decision: { rejected: { scope: "session_messages", limit, retryAfterMs: leftMs } } };
  }
  const next: Session = { ...session, messages: session.messages + 1 };
  const limit = session.messageCap;
  const left = { limit, remaining: limit - next.messages, resetMs: leftMs };
  return { leftMs, left, note: () => draft.set(key, next, { expireIn: sessionExpireIn(leftMs) }) };
}

/** Sets aside what every account has room for, or names the one that has none. */
function grantHold(
  ledgers: { account: BudgetScope; moment: Moment; ledger: Ledger }[],
  request: RunRequest & { now: number; division: Division | undefined; sessionEndsIn: number },
): { hold: number } | { rejected: LimitRejection } | { short: true } {
  const { minHold, division } = request;
  let hold = request.hold;
  for (const { account, ledger, moment } of ledgers) {
    const within = allottedScopeLimits(account, { limits: request.limits, division, moment });
    if (within === undefined) return { short: true };
    const isCleared = account.kind === "tenant" && hold === 0 && request.hasClearance === true;
    const limits = isCleared ? { ...within, hardLimit: undefined } : within;
    const refusal = ledgerRejection(ledger, { least: minHold, limits, moment });
    const room = remainingBudget(ledger, { limits, moment });
    const isShort = refusal !== undefined || room < request.hold;
    // Only all shards together can tell whether the tenant's limit is reached.
    if (isShort && division !== undefined && account.kind === "tenant") return { short: true };
    if (refusal !== undefined) {
      const streams = limits.streams ?? countSlots(ledger, moment);
      return { rejected: toLimitRejection(account, { ...request, refusal, streams }) };
    }
    hold = Math.min(hold, room);
  }
  return { hold };
}

/** The 429 of an account that has no room; `streams` is how many it may have at once. */
export function toLimitRejection(
  account: Pick<BudgetScope, "kind">,
  { refusal, streams, limits, now, sessionEndsIn = 0 }: {
    refusal: LedgerRejection;
    streams: number;
    limits: Limits;
    now: number;
    sessionEndsIn?: number;
  },
): LimitRejection {
  if (refusal.rejected === "streams") {
    return { scope: limitScopeOf(account, "streams"), limit: streams, retryAfterMs: RETRY_SOON_MS };
  }
  const { isSpent } = refusal;
  const ends = account.kind === "session" ? sessionEndsIn : untilMidnight(now);
  const limit = scopeLimits(account, limits).hardLimit! / 1_000_000;
  const windowSeconds = account.kind === "session" ? {} : { windowSeconds: 86_400 };
  const retryAfterMs = isSpent ? ends : RETRY_SOON_MS;
  return { scope: limitScopeOf(account, "cost"), limit, ...windowSeconds, retryAfterMs };
}

/** What another process needs to settle the run, and what a repeated message is answered by. */
function recordRun(
  draft: Transaction,
  { run, idempotency, startHook, now }: RunRequest & { now: number },
  accounts: BudgetScope[],
): void {
  startHook?.write?.(draft);
  draft.create(
    keys.activeRun(run.tenant, run.runId),
    newActiveRun(run, accounts, startHook?.state),
  );
  if (idempotency === undefined) return;
  const { key, fingerprint, ttlMs } = idempotency;
  const noted: ChatIdempotencyRecord = { v: 1, fingerprint, runId: run.runId, exp: now + ttlMs };
  draft.set(key, noted, { expireIn: ttlMs });
}

/** A run that has been let in, with all that settling it takes. */
export function activeRunOf(request: RunRequest): ActiveRun {
  return newActiveRun(request.run, budgetScopesOf(payerOf(request), request.limits));
}
