import { dayOf, monthOf, untilMidnight, untilNextMonth } from "../platform/utc_day.ts";
import type { LimitPeriod } from "../schemas/visitor.ts";
import { keys } from "../store/keys/keys.ts";
import type { RunFacts } from "../store/runs/run_record.ts";
import type { Transaction } from "../store/tx/operation.ts";
import type { VisitorAccount, VisitorUse } from "../store/visitors/visitor_account_record.ts";
import type { LimitRejection } from "./limit_error.ts";

const DAY_MS = 86_400_000;
/** An account without limits is forgotten this long after the visitor's last message. */
const UNLIMITED_RETENTION_MS = 400 * DAY_MS;
/** Days and months to remember: moving the clock past midnight and back must not reset a limit. */
const REMEMBERED_PERIODS = 5;
/** A run that was not settled here by then was settled by an earlier release. */
const STALE_AFTER_MS = DAY_MS;
/** Active runs release money at any moment, so this wait is a hint and no promise. */
const RETRY_SOON_MS = 2_000;

const NO_USE: VisitorUse = { cost: 0, messages: 0, inputTokens: 0, outputTokens: 0 };

/** The account of a visitor without messages and limits. */
export const NEW_ACCOUNT: VisitorAccount = {
  v: 1,
  runs: {},
  days: {},
  months: {},
  total: NO_USE,
};

/** The key of the account that a run is charged to, if its session names a visitor. */
export function visitorAccountKeys({ tenant, visitor }: RunFacts): Deno.KvKey[] {
  return visitor === undefined ? [] : [keys.visitorAccount(tenant, visitor)];
}

/** The account of a run's visitor; the operation must list its key. `undefined` without a visitor. */
export function readVisitorAccount(tx: Transaction, run: RunFacts): VisitorAccount | undefined {
  const [key] = visitorAccountKeys(run);
  return key && (tx.get<VisitorAccount>(key) ?? NEW_ACCOUNT);
}

export function writeVisitorAccount(
  tx: Transaction,
  run: RunFacts,
  account: VisitorAccount,
): void {
  const [key] = visitorAccountKeys(run);
  if (key !== undefined) tx.set(key, account, accountRetention(account));
}

/** An account with limits does not expire: a prepaid total must not start again. */
export function accountRetention({ limits }: VisitorAccount): { expireIn?: number } {
  return limits === undefined ? { expireIn: UNLIMITED_RETENTION_MS } : {};
}

/** What a visitor has used in the period of `now`. */
export function usedIn(account: VisitorAccount, per: LimitPeriod, now: number): VisitorUse {
  switch (per) {
    case "day":
      return account.days[dayOf(now)] ?? NO_USE;
    case "month":
      return account.months[monthOf(now)] ?? NO_USE;
    case "total":
      return account.total;
    default:
      return per satisfies never;
  }
}

/** Milliseconds until a period ends; `undefined` for one that does not. */
export function untilReset(per: LimitPeriod, now: number): number | undefined {
  if (per === "total") return undefined;
  return per === "day" ? untilMidnight(now) : untilNextMonth(now);
}

/**
 * Micro-USD that a run may hold, given what the visitor's other runs hold; `Infinity` without a limit. A
 * hold counts in every period until its run is settled.
 */
export function remainingVisitorBudget(
  account: VisitorAccount,
  { runId, now }: { runId?: string; now: number },
): number {
  const { limits, runs } = account;
  if (limits?.cost === undefined) return Infinity;
  let held = 0;
  for (const id in runs) if (id !== runId) held += runs[id]!.hold;
  return limits.cost - usedIn(account, limits.per, now).cost - held;
}

/** Messages left in the period of `now`; `Infinity` without a limit. */
export function remainingMessages(account: VisitorAccount, now: number): number {
  const { limits } = account;
  if (limits?.messages === undefined) return Infinity;
  return Math.max(0, limits.messages - usedIn(account, limits.per, now).messages);
}

/** A message to be admitted; it counts when it was sent, and its cost when it is charged. */
interface VisitorMessage {
  minHold: number;
  now: number;
  sentAt: number;
  /** Until the session's end: a new one may come with higher limits. */
  sessionEndsIn: number;
}

/** The 429 for a message that the visitor's limits do not allow; `undefined` if they do. */
export function visitorRejection(
  account: VisitorAccount,
  { minHold, now, sentAt, sessionEndsIn }: VisitorMessage,
): LimitRejection | undefined {
  const { limits } = account;
  if (limits === undefined) return undefined;
  const { per, cost, messages } = limits;
  const window = per === "day" ? { windowSeconds: DAY_MS / 1000 } : {};
  const resetIn = (at: number) => untilReset(per, at) ?? sessionEndsIn;
  if (messages !== undefined && remainingMessages(account, sentAt) === 0) {
    const retryAfterMs = resetIn(sentAt);
    return { scope: "visitor_messages", limit: messages, ...window, retryAfterMs };
  }
  if (cost === undefined) return undefined;
  const { cost: spent } = usedIn(account, per, now);
  // Once the limit is spent, free runs are rejected too.
  if (spent < cost && minHold <= remainingVisitorBudget(account, { now })) return undefined;
  // Spent if it would not fit even without any hold: then only a new period helps.
  const isSpent = spent >= cost || spent + minHold > cost;
  const retryAfterMs = isSpent ? resetIn(now) : RETRY_SOON_MS;
  return { scope: "visitor_cost", limit: cost / 1_000_000, ...window, retryAfterMs };
}

/** Counts the message of a run and sets `hold` aside for it. */
export function admitVisitorRun(
  account: VisitorAccount,
  { runId, hold, now, sentAt }: { runId: string; hold: number; now: number; sentAt: number },
): VisitorAccount {
  const counted = addUse(settleStaleRuns(account, now), { ...NO_USE, messages: 1 }, sentAt);
  return { ...counted, runs: { ...counted.runs, [runId]: { hold, at: now } } };
}

/** Changes what an active run holds. */
export function raiseVisitorHold(
  account: VisitorAccount,
  { runId, hold }: { runId: string; hold: number },
): VisitorAccount {
  const held = account.runs[runId];
  if (held === undefined) return account;
  return { ...account, runs: { ...account.runs, [runId]: { ...held, hold } } };
}

/**
 * Charges a run at the time it ended, once; the same account if it is charged already. With `refundedAt`
 * the message that was sent then does not count: no model has accepted it.
 */
export function chargeVisitorRun(
  account: VisitorAccount,
  { runId, used, endedAt, refundedAt }: {
    runId: string;
    used: Omit<VisitorUse, "messages">;
    endedAt: number;
    refundedAt?: number | undefined;
  },
): VisitorAccount {
  if (!Object.hasOwn(account.runs, runId)) return account;
  const { [runId]: _settled, ...runs } = account.runs;
  const { cost, inputTokens, outputTokens } = used;
  const charged = addUse({ ...account, runs }, {
    ...{ cost, inputTokens, outputTokens },
    messages: 0,
  }, endedAt);
  return refundedAt === undefined
    ? charged
    : addUse(charged, { ...NO_USE, messages: -1 }, refundedAt);
}

/** Charges the holds of runs that a process of an earlier release has settled elsewhere only. */
function settleStaleRuns(account: VisitorAccount, now: number): VisitorAccount {
  const stale = Object.entries(account.runs).filter(([, { at }]) => at + STALE_AFTER_MS <= now);
  return stale.reduce((settled, [runId, { hold, at }]) => {
    const used = { cost: hold, inputTokens: 0, outputTokens: 0 };
    return chargeVisitorRun(settled, { runId, used, endedAt: at });
  }, account);
}

function addUse(account: VisitorAccount, use: VisitorUse, at: number): VisitorAccount {
  return {
    ...account,
    days: addToPeriod(account.days, { period: dayOf(at), use }),
    months: addToPeriod(account.months, { period: monthOf(at), use }),
    total: sumUse(account.total, use),
  };
}

/** The period moves to the end, so that those that were not used for the longest time are dropped. */
function addToPeriod(
  periods: VisitorAccount["days"],
  { period, use }: { period: string; use: VisitorUse },
): VisitorAccount["days"] {
  const { [period]: before = NO_USE, ...others } = periods;
  const kept = Object.entries(others).slice(1 - REMEMBERED_PERIODS);
  return { ...Object.fromEntries(kept), [period]: sumUse(before, use) };
}

function sumUse(a: VisitorUse, b: VisitorUse): VisitorUse {
  return {
    cost: a.cost + b.cost,
    messages: Math.max(0, a.messages + b.messages),
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
  };
}
