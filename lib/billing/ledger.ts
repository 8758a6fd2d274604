import { dayOf } from "../platform/utc_day.ts";

/** One active run, or several of one process: stream slots and the money reserved for them. */
export interface Lease {
  /** When it lapses by its process's clock, milliseconds; its process renews it before. */
  readonly until: number;
  /** Reserved micro-USD. */
  readonly hold: number;
  /** A reservation that belongs to no run, such as for embeddings, and takes no slot. */
  readonly side?: true;
  /** How many runs share it; absent for a lease of one run. */
  readonly streams?: number;
  /** Of a shared lease: the runs that others have settled since its process last noticed. */
  readonly lost?: number;
  /** The ends of the ids of its latest runs, to recognize a commit whose outcome was unknown. */
  readonly latest?: readonly string[];
}

/** The limits of one tenant; money in micro-USD. */
export type TenantLimits = { readonly streams: number; readonly hardLimit: number };

/**
 * What one scope (a tenant's day, a session, an address's day) has spent, and the slots and money that its
 * active runs hold. One document, so that both are decided together. Integer micro-USD.
 */
export interface Ledger {
  readonly v: 1;
  /** The UTC day as `YYYY-MM-DD`, or empty for a scope without days. */
  readonly period: string;
  readonly spent: number;
  /** What earlier days spent, the latest last; by day. */
  readonly earlier?: Readonly<Record<string, number>>;
  /** By run id, or by the name of a shared lease. A lapsed lease keeps its slot and its hold until its run is settled. */
  readonly runs: Readonly<Record<string, Lease>>;
}

/** A time, and the period of a ledger that it belongs to. */
export type Moment = { now: number; period: string };

/** The limits of a scope; unset means unlimited. */
export interface LedgerLimits {
  readonly streams?: number | undefined;
  /** Micro-USD. */
  readonly hardLimit?: number | undefined;
}

export type LedgerRejection =
  | { rejected: "streams" }
  /** `isSpent`: the unspent money is not enough; otherwise active runs hold what is missing. */
  | { rejected: "cost"; isSpent: boolean };

/** In place of the lease of a run that its own living process has given up: that renews what it shares. */
export const ABANDONED: Lease = { until: Infinity, hold: 0 };

/** How long a lease lasts unless it is renewed. */
export const LEASE_MS = 30_000;
/** Several renewals fit into a lease, so that one late or lost renewal does no harm. */
export const HEARTBEAT_MS = 5_000;

/** Maximum clock skew between processes; a time further ahead is wrong, and ends no day or window. */
export const MAX_SKEW_MS = 5 * 60_000;

/** Leases in one ledger, lapsed ones included: a ledger is one stored value, at most 80 bytes a lease. */
export const MAX_LEASES = 800;
/** More shared leases than that fit into a ledger, which then has some that are not shared as well. */
const SPARE_LEASES = 16;

/** Days of which a ledger keeps the amount spent; a wrong clock is corrected within one or two. */
const EARLIER_DAYS = 4;

/**
 * The ledger in the period of the moment. A new period starts with the active runs, and with what it had
 * spent if it was left because of a wrong clock. A day that another process has started stays current for
 * a process whose clock is slightly behind.
 */
export function currentLedger(stored: Ledger | undefined, { now, period }: Moment): Ledger {
  if (stored === undefined) return { v: 1, period, spent: 0, runs: {} };
  const hasBegun = period !== "" && stored.period === dayOf(now + MAX_SKEW_MS);
  return hasBegun || stored.period === period ? stored : startPeriod(stored, period);
}

/** Keeps what earlier days spent: moving the clock past midnight and back must not reset the limit. */
function startPeriod(stored: Ledger, period: string): Ledger {
  const all = { ...stored.earlier, [stored.period]: stored.spent };
  const { [period]: spent = 0, ...others } = all;
  const earlier = Object.fromEntries(Object.entries(others).slice(-EARLIER_DAYS));
  return { ...stored, period, spent, earlier };
}

/** True if a lease has lapsed by any process's clock, whatever the skew. */
export function hasExpired({ until }: Lease, now: number): boolean {
  return until + MAX_SKEW_MS <= now;
}

/**
 * The number of taken slots. A lapsed lease keeps its slot until its run is settled, so that a process with
 * a fast clock cannot take a slot that is still in use.
 */
export function countSlots(ledger: Ledger, { now }: Moment): number {
  let taken = 0;
  for (const runId in ledger.runs) {
    const lease = ledger.runs[runId]!;
    if (lease.side === undefined && !hasExpired(lease, now)) taken += lease.streams ?? 1;
  }
  return taken;
}

/**
 * What all runs except one hold, in micro-USD. What an orphaned run has spent is unknown, so its hold
 * counts in full in the period in which its lease lapsed.
 */
export function sumHolds(ledger: Ledger, moment: Moment, exceptRunId?: string): number {
  const at = { ...moment, period: ledger.period };
  let held = 0;
  for (const runId in ledger.runs) {
    const lease = ledger.runs[runId]!;
    if (runId !== exceptRunId && countsInPeriod(lease, at)) held += lease.hold;
  }
  return held;
}

/** True if a lease's money belongs to the period of the moment. */
export function countsInPeriod({ until }: Lease, { now, period }: Moment): boolean {
  return until > now || period === "" || dayOf(until) === period;
}

/** Micro-USD that a run may hold, given what the others hold; `Infinity` without a limit. */
export function remainingBudget(
  ledger: Ledger,
  { runId, limits, moment }: { runId?: string; limits: LedgerLimits; moment: Moment },
): number {
  if (limits.hardLimit === undefined) return Infinity;
  return limits.hardLimit - ledger.spent - sumHolds(ledger, moment, runId);
}

/** True if one more lease could exceed the maximum size of a stored value. */
export function isFull({ runs }: Ledger, { isShared = false } = {}): boolean {
  return Object.keys(runs).length >= MAX_LEASES + (isShared ? SPARE_LEASES : 0);
}

/** What admitting a run takes: it holds at least `minHold` micro-USD. */
interface HoldRequest {
  minHold: number;
  limits: LedgerLimits;
  moment: Moment;
  /** It shares its lease. */
  isShared?: boolean;
}

/** Why a run must not start; `undefined` if it may. */
export function ledgerRejection(ledger: Ledger, request: HoldRequest): LedgerRejection | undefined {
  const { limits, moment } = request;
  const cost = costRejection(ledger, request);
  // Once the limit is spent, free runs are rejected too, and cost is the reason given.
  if (ledger.spent >= (limits.hardLimit ?? Infinity)) return cost;
  if (isFull(ledger, request) || countSlots(ledger, moment) >= (limits.streams ?? Infinity)) {
    return { rejected: "streams" };
  }
  return cost;
}

/** Why `minHold` must not be reserved for a run that has a slot; `undefined` if it may. */
export function costRejection(
  ledger: Ledger,
  { minHold, limits, moment }: HoldRequest,
): LedgerRejection | undefined {
  const { hardLimit = Infinity } = limits;
  if (ledger.spent >= hardLimit) return { rejected: "cost", isSpent: true };
  if (minHold <= remainingBudget(ledger, { limits, moment })) return undefined;
  // Spent if it would not fit even without any hold: then only a new period helps.
  return { rejected: "cost", isSpent: ledger.spent + minHold > hardLimit };
}

interface MutableLedger extends Ledger {
  spent: number;
  readonly runs: Record<string, Lease>;
}

/** The ledger itself if the caller owns it, else a copy: copying hundreds of leases is expensive. */
export function toMutable(ledger: Ledger, isOwn: boolean): MutableLedger {
  return isOwn ? ledger as MutableLedger : { ...ledger, runs: { ...ledger.runs } };
}

/** Starts a run's lease, or renews it with a new hold. Mutates the ledger if `isOwn`. */
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
 * Renews the leases of runs, however long ago they lapsed: a process that renews a run is alive, and its
 * clock may have jumped by hours. Runs that were settled stay settled.
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

/** The lease of a run that is not settled, lapsed or not. */
export function findLease(ledger: Ledger | undefined, runId: string): Lease | undefined {
  return ledger !== undefined && Object.hasOwn(ledger.runs, runId) ? ledger.runs[runId] : undefined;
}

/** Ends a run's lease and adds its cost (micro-USD), once. Mutates the ledger if `isOwn`. */
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
