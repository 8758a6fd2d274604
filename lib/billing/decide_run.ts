import type { Draft } from "../store/tx/operation.ts";
import { keys } from "../store/keys/keys.ts";
import { type Session, sessionExpireIn } from "../store/credentials/session_store.ts";
import type { RunFacts } from "../store/runs/run_record.ts";
import {
  type Account,
  accountsOf,
  chargedFor,
  divisionIn,
  keptFor,
  limitsOf,
  limitsWithin,
  momentOf,
  scopeOf,
} from "./accounts.ts";
import {
  callerKeys,
  type CountedRequest,
  countRequest,
  type RequestCount,
} from "./count_request.ts";
import { type Division, ledgerShardOf, spentElsewhere } from "./division.ts";
import {
  currentLedger,
  leaseOf,
  type Ledger,
  type LedgerRefusal,
  type Moment,
  refusalOf,
  roomOf,
  setLease,
  slotsOf,
  untilMidnight,
} from "./ledger.ts";
import type { Limits } from "./limits.ts";
import { type ActiveRun, type ActiveRunState, newActiveRun } from "../store/runs/active_run.ts";
import type { WindowLeft } from "./rate_window.ts";
import type { LimitRefusal } from "./refusal.ts";
import type { Caller, FullShard } from "./request_windows.ts";

/** Slots and holds of running runs come free at any moment: a hint, not a promise. */
const SOON_MS = 2_000;

/** A message that wants in. Money in micro-USD. */
export interface RunRequest {
  run: RunFacts;
  /** What its first step can cost at most. */
  hold: number;
  /** What it can do with at least: less output is better than none. */
  least: number;
  limits: Limits;
  caller: Caller;
  /** SHA-256 of the session token, on the widget path. */
  sessionHash?: string | undefined;
  /** The shard of the tenant's ledger; the first one unless it is divided. */
  ledgerKey?: string[] | undefined;
  /** All shards together have room for a run that holds nothing. */
  hasClearance?: boolean;
  /** Written in the same commit, as the beginning of what the run leaves behind. */
  opening?: Opening | undefined;
  /** Names the one run that a repeated message means. */
  receipt?: ReceiptRequest | undefined;
}

/** What else is begun with a run. */
export interface Opening {
  /** Kept with the run while it goes on. */
  begun: ActiveRunState;
  /** About how many bytes it writes, where they are many. */
  bytes?: number;
  /** Notes what has no room there. */
  note?(draft: Draft): void;
  /** Takes that back. */
  withdraw?(draft: Draft): void;
}

export interface ReceiptRequest {
  key: Deno.KvKey;
  /** A keyed digest of the message, which nobody can guess it by. */
  fingerprint: string;
  /** The digest without a key that versions before 2026-11-22 stored; they are kept for a day. */
  unkeyed?: string;
  /** How long it is remembered, milliseconds. */
  keptMs: number;
}

/** Which run an `Idempotency-Key` began. */
export interface ChatReceipt {
  v: 1;
  fingerprint: string;
  runId: string;
  /** Milliseconds; decides, `expireIn` only collects garbage. */
  exp: number;
}

/** A message that was let in. */
export interface AdmittedRun {
  left: RequestCount;
  /** What was set aside: the first step may cost no more. Micro-USD. */
  hold: number;
  /** The tenant's day is past its soft limit. */
  softLimitPassed: boolean;
}

export type RunDecision =
  | { admitted: AdmittedRun }
  | { replayed: { runId: string; left: RequestCount } }
  | { refused: LimitRefusal }
  /** The idempotency key was used for another body. */
  | { reused: true }
  /** The session has ended. */
  | { gone: true }
  /** The shard of a request window needs more of the places that the other shards have. */
  | { full: FullShard }
  /** The shard of the tenant's ledger needs more of what the other shards have. */
  | { short: true };

/** The keys that letting a message in touches. */
export function runKeys(request: RunRequest): Deno.KvKey[] {
  const { run, limits, caller, sessionHash, receipt } = request;
  return [
    ...callerKeys(caller),
    ...accountsOf(chargedFor(request), limits).map(({ key }) => key),
    keys.ledgerDivision(run.tenant),
    ...(sessionHash === undefined ? [] : [keys.session(run.tenant, sessionHash)]),
    ...(receipt === undefined ? [] : [receipt.key]),
  ];
}

/**
 * Every limit in order, all or nothing: the request and the message are counted, a slot is taken and
 * money set aside; nothing is written before the last of them has let the run pass.
 */
export function decideRun(
  draft: Draft,
  request: RunRequest & { id: number; now: number },
): RunDecision {
  const { run, now, limits } = request;
  const replay = replayOf(draft, request);
  if (replay !== undefined) return replay;
  const accounts = accountsOf(chargedFor(request), limits);
  const division = divisionIn(draft, run.tenant);
  const ledgers = accounts.map((account) => {
    const moment = momentOf(account, now, division);
    return { account, moment, ledger: currentLedger(draft.get<Ledger>(account.key), moment) };
  });
  const lease = leaseOf(ledgers[0]!.ledger, run.runId);
  const { spent, period } = ledgers[0]!.ledger;
  const elsewhere = spentElsewhere(division, { shard: ledgerShardOf(accounts[0]!.key), period });
  const softLimitPassed = spent + elsewhere >= limits.softDailyCost;
  const count = countRequest(draft, { ...request, message: true });
  // Our own commit of unknown outcome was made: it is told, and not counted twice.
  if (lease !== undefined) {
    const left = "left" in count ? count.left : NONE_LEFT(limits);
    return { admitted: { left, hold: lease.hold, softLimitPassed } };
  }
  if (!("left" in count)) return count;
  const session = takeMessage(draft, request);
  if ("decision" in session) return session.decision;
  const granted = grant(ledgers, { ...request, division, sessionEndsIn: session.leftMs });
  if (!("hold" in granted)) return granted;
  count.note();
  session.note();
  for (const { account, moment } of ledgers) {
    draft.update<Ledger>(account.key, (held, isOwn) => {
      const lease = { runId: run.runId, hold: granted.hold, now };
      return setLease(currentLedger(held, moment), lease, isOwn);
    }, keptFor(account));
  }
  noteRun(draft, request, accounts);
  const left = { ...count.left, ...(session.left && { session_messages: session.left }) };
  return { admitted: { left, hold: granted.hold, softLimitPassed } };
}

const NONE_LEFT = ({ ipRequests }: Limits): RequestCount => ({
  ip: { limit: ipRequests, remaining: 0, resetMs: 0 },
});

/** A message sent again is counted as a request, and answered by the run it began. */
function replayOf(
  draft: Draft,
  request: RunRequest & Omit<CountedRequest, "message">,
): RunDecision | undefined {
  if (request.receipt === undefined) return undefined;
  const known = draft.get<ChatReceipt>(request.receipt.key);
  if (known === undefined || known.exp <= request.now) return undefined;
  if (known.runId === request.run.runId) return undefined;
  const { fingerprint, unkeyed } = request.receipt;
  if (known.fingerprint !== fingerprint && known.fingerprint !== unkeyed) return { reused: true };
  const count = countRequest(draft, { ...request, message: false });
  if (!("left" in count)) return count;
  count.note();
  return { replayed: { runId: known.runId, left: count.left } };
}

/** One message of the session, where there is one. */
function takeMessage(
  draft: Draft,
  { run, sessionHash, now }: { run: RunFacts; sessionHash?: string | undefined; now: number },
): { decision: RunDecision } | { leftMs: number; left?: WindowLeft; note: () => void } {
  if (sessionHash === undefined) return { leftMs: 0, note: () => {} };
  const key = keys.session(run.tenant, sessionHash);
  const session = draft.get<Session>(key);
  const leftMs = (session?.exp ?? 0) - now;
  if (session === undefined || leftMs <= 0) return { decision: { gone: true } };
  if (session.messages >= session.messageCap) {
    const limit = session.messageCap;
    return { decision: { refused: { scope: "session_messages", limit, retryAfterMs: leftMs } } };
  }
  const next: Session = { ...session, messages: session.messages + 1 };
  const limit = session.messageCap;
  const left = { limit, remaining: limit - next.messages, resetMs: leftMs };
  return { leftMs, left, note: () => draft.set(key, next, { expireIn: sessionExpireIn(leftMs) }) };
}

/** Sets aside what every account has room for, or names the one that has none. */
function grant(
  ledgers: { account: Account; moment: Moment; ledger: Ledger }[],
  request: RunRequest & { now: number; division: Division | undefined; sessionEndsIn: number },
): { hold: number } | { refused: LimitRefusal } | { short: true } {
  const { least, division } = request;
  let hold = request.hold;
  for (const { account, ledger, moment } of ledgers) {
    const within = limitsWithin(account, { limits: request.limits, division, moment });
    if (within === undefined) return { short: true };
    const isCleared = account.kind === "tenant" && hold === 0 && request.hasClearance === true;
    const limits = isCleared ? { ...within, hardLimit: undefined } : within;
    const refusal = refusalOf(ledger, { least, limits, moment });
    const room = roomOf(ledger, { limits, moment });
    const isShort = refusal !== undefined || room < request.hold;
    // Only all shards together can tell whether the tenant's limit is reached.
    if (isShort && division !== undefined && account.kind === "tenant") return { short: true };
    if (refusal !== undefined) {
      const streams = limits.streams ?? slotsOf(ledger, moment);
      return { refused: limitRefusal(account, { ...request, refusal, streams }) };
    }
    hold = Math.min(hold, room);
  }
  return { hold };
}

/** The 429 of an account that has no room; `streams` is how many it may have at once. */
export function limitRefusal(
  account: Pick<Account, "kind">,
  { refusal, streams, limits, now, sessionEndsIn = 0 }: {
    refusal: LedgerRefusal;
    streams: number;
    limits: Limits;
    now: number;
    sessionEndsIn?: number;
  },
): LimitRefusal {
  if (refusal.refused === "streams") {
    return { scope: scopeOf(account, "streams"), limit: streams, retryAfterMs: SOON_MS };
  }
  const { spent } = refusal;
  const ends = account.kind === "session" ? sessionEndsIn : untilMidnight(now);
  const limit = limitsOf(account, limits).hardLimit! / 1_000_000;
  const windowSeconds = account.kind === "session" ? {} : { windowSeconds: 86_400 };
  const retryAfterMs = spent ? ends : SOON_MS;
  return { scope: scopeOf(account, "cost"), limit, ...windowSeconds, retryAfterMs };
}

/** What another process needs to settle the run, and what a repeated message is answered by. */
function noteRun(
  draft: Draft,
  { run, receipt, opening, now }: RunRequest & { now: number },
  accounts: Account[],
): void {
  opening?.note?.(draft);
  draft.create(keys.activeRun(run.tenant, run.runId), newActiveRun(run, accounts, opening?.begun));
  if (receipt === undefined) return;
  const { key, fingerprint, keptMs } = receipt;
  const noted: ChatReceipt = { v: 1, fingerprint, runId: run.runId, exp: now + keptMs };
  draft.set(key, noted, { expireIn: keptMs });
}

/** A run that has been let in, with all that settling it takes. */
export function liveOf(request: RunRequest): ActiveRun {
  return newActiveRun(request.run, accountsOf(chargedFor(request), request.limits));
}
