import { dayOf } from "../platform/utc_day.ts";

export { dayOf, untilMidnight } from "../platform/utc_day.ts";

/** One running run: a stream slot, and the money set aside for it. */
export interface Lease {
  /** It lapses then, by the clock of the process that runs it, and is renewed before. Milliseconds. */
  readonly until: number;
  /** What is set aside, in micro-USD. */
  readonly hold: number;
  /** Money of no run, such as for embeddings: it takes no slot. */
  readonly side?: true;
}

/** The limits of one tenant; money in micro-USD. */
export interface TenantLimits {
  readonly streams: number;
  readonly hardLimit: number;
}

/**
 * What one account (a tenant's day, a session, an address's day) has spent, and what its running runs
 * hold: slots and money in one document, so that both are decided in one step. Integer micro-USD.
 */
export interface Ledger {
  readonly v: 1;
  /** The UTC day as `YYYY-MM-DD`, or empty for an account that has no days. */
  readonly period: string;
  readonly spent: number;
  /** What the days before this one in its place have spent, the last of them last; by day. */
  readonly earlier?: Readonly<Record<string, number>>;
  /** One that has lapsed stays, its slot taken and its hold counted, until its run is settled. */
  readonly runs: Readonly<Record<string, Lease>>;
}

/** Which moment a ledger is looked at, and in which of its periods that is. */
export interface Moment {
  now: number;
  period: string;
}

/** What an account may have at once; unset is without limit. */
export interface LedgerLimits {
  readonly streams?: number | undefined;
  /** Micro-USD. */
  readonly hardLimit?: number | undefined;
}

export type LedgerRejection =
  | { rejected: "streams" }
  /** `spent`: what is left does not pay for it; otherwise only running runs hold it. */
  | { rejected: "cost"; isSpent: boolean };

/** A lease lasts so long unless it is renewed. */
export const LEASE_MS = 30_000;
/** Several renewals fit into a lease, so that one that is late or lost costs nothing. */
export const HEARTBEAT_MS = 5_000;

/** How far clocks may be apart; further ahead is a wrong one, which must close no day and no window. */
export const MAX_SKEW_MS = 5 * 60_000;

/** Leases of one ledger, lapsed ones included: it is one value of the store, at most 80 bytes a lease. */
const MAX_LEASES = 800;

/** Days of which a ledger remembers what they spent: a wrong clock is set right within one or two. */
const EARLIER_DAYS = 4;

/**
 * The ledger in the period of the moment: another one begins with what still runs, and with what it has
 * spent already if it was left only because of a wrong clock. A day that another process has begun is
 * not gone back on by one whose clock is a little behind, or that was asked before midnight.
 */
export function currentLedger(stored: Ledger | undefined, { now, period }: Moment): Ledger {
  if (stored === undefined) return { v: 1, period, spent: 0, runs: {} };
  const hasBegun = period !== "" && stored.period === dayOf(now + MAX_SKEW_MS);
  return hasBegun || stored.period === period ? stored : startPeriod(stored, period);
}

/** Of a clock that is set forward past midnight and back the day's limit must not be had twice. */
function startPeriod(stored: Ledger, period: string): Ledger {
  const left = { ...stored.earlier, [stored.period]: stored.spent };
  const { [period]: spent = 0, ...others } = left;
  const earlier = Object.fromEntries(Object.entries(others).slice(-EARLIER_DAYS));
  return { ...stored, period, spent, earlier };
}

/** Whether a lease has lapsed by any clock, be it as far behind as clocks may be. */
export function hasExpired({ until }: Lease, now: number): boolean {
  return until + MAX_SKEW_MS <= now;
}

/**
 * How many slots are taken. One whose process may have died comes free when its run is settled: who has
 * a fast clock must not take what another still uses.
 */
export function countSlots(ledger: Ledger, { now }: Moment): number {
  let taken = 0;
  for (const runId in ledger.runs) {
    const lease = ledger.runs[runId]!;
    if (lease.side === undefined && !hasExpired(lease, now)) taken++;
  }
  return taken;
}

/**
 * What runs hold, in micro-USD, but for the one named. What a dead process has spent is not known, so
 * its hold counts in full in the period it lapsed in.
 */
export function sumHolds(ledger: Ledger, moment: Moment, except?: string): number {
  const at = { ...moment, period: ledger.period };
  let held = 0;
  for (const runId in ledger.runs) {
    const lease = ledger.runs[runId]!;
    if (runId !== except && countsInPeriod(lease, at)) held += lease.hold;
  }
  return held;
}

/** Whether a lease's money belongs to the period of the moment. */
export function countsInPeriod({ until }: Lease, { now, period }: Moment): boolean {
  return until > now || period === "" || dayOf(until) === period;
}

/** Micro-USD that a run may have in all, beside what the others hold; `Infinity` without a limit. */
export function remainingBudget(
  ledger: Ledger,
  { runId, limits, moment }: { runId?: string; limits: LedgerLimits; moment: Moment },
): number {
  if (limits.hardLimit === undefined) return Infinity;
  return limits.hardLimit - ledger.spent - sumHolds(ledger, moment, runId);
}

/** Whether one more lease may make the ledger larger than a value of the store. */
export function isFull({ runs }: Ledger): boolean {
  return Object.keys(runs).length >= MAX_LEASES;
}

/** Why a run that must set aside `least` may not begin; nothing when it may. */
export function ledgerRejection(
  ledger: Ledger,
  { least, limits, moment }: { least: number; limits: LedgerLimits; moment: Moment },
): LedgerRejection | undefined {
  // Past the limit runs of price 0 are refused too, and for that reason before any other.
  const cost = costRejection(ledger, { least, limits, moment });
  if (ledger.spent >= (limits.hardLimit ?? Infinity)) return cost;
  if (isFull(ledger) || countSlots(ledger, moment) >= (limits.streams ?? Infinity)) {
    return { rejected: "streams" };
  }
  return cost;
}

/** Why `least` more may not be set aside for a run that has its slot; nothing when it may. */
export function costRejection(
  ledger: Ledger,
  { least, limits, moment }: { least: number; limits: LedgerLimits; moment: Moment },
): LedgerRejection | undefined {
  const { hardLimit = Infinity } = limits;
  if (ledger.spent >= hardLimit) return { rejected: "cost", isSpent: true };
  if (least <= remainingBudget(ledger, { limits, moment })) return undefined;
  // With every hold given back it would not fit either: only a new period makes room.
  return { rejected: "cost", isSpent: ledger.spent + least > hardLimit };
}

/** A ledger that nobody else has. */
interface MutableLedger extends Ledger {
  spent: number;
  readonly runs: Record<string, Lease>;
}

/** The ledger itself where it `isOwn`, else a copy: of hundreds of leases one is dear for each change. */
function toMutable(ledger: Ledger, isOwn: boolean): MutableLedger {
  return isOwn ? ledger as MutableLedger : { ...ledger, runs: { ...ledger.runs } };
}

/**
 * Begins a run, or changes what it holds for its next step; its lease lasts anew. One that `isOwn` is
 * changed in place, here and below.
 */
export function setLease(
  ledger: Ledger,
  { runId, hold, now }: { runId: string; hold: number; now: number },
  isOwn = false,
): Ledger {
  const next = toMutable(ledger, isOwn);
  next.runs[runId] = { until: now + LEASE_MS, hold };
  return next;
}

/**
 * Prolongs the leases of runs that still go on, however long ago they lapsed: who renews a run runs it,
 * and a clock may have been set forward by hours. One that was settled is not brought back.
 */
export function renewLeases(
  ledger: Ledger,
  { runIds, now }: { runIds: readonly string[]; now: number },
): Ledger {
  const runs = { ...ledger.runs };
  for (const runId of runIds) {
    const lease = findLease(ledger, runId);
    if (lease !== undefined) runs[runId] = { ...lease, until: now + LEASE_MS };
  }
  return { ...ledger, runs };
}

/** The lease of a run that has not been settled yet, lapsed or not. */
export function findLease(ledger: Ledger | undefined, runId: string): Lease | undefined {
  return ledger !== undefined && Object.hasOwn(ledger.runs, runId) ? ledger.runs[runId] : undefined;
}

/** Ends a run: its slot and hold go, its cost (micro-USD) is charged; once, however often it is asked. */
export function chargeRun(
  ledger: Ledger,
  { runId, cost }: { runId: string; cost: number },
  isOwn = false,
): Ledger {
  const next = toMutable(ledger, isOwn);
  if (findLease(ledger, runId) === undefined) return next;
  delete next.runs[runId];
  next.spent += cost;
  return next;
}
