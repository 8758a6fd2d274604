/** One running run of a tenant: a stream slot and the money set aside for it. */
export interface Lease {
  /** The slot and the hold lapse then, unless the process that runs it says otherwise. Milliseconds. */
  readonly until: number;
  /** What is set aside, in micro-USD. */
  readonly hold: number;
}

/**
 * A tenant's day in one document, so that slots and money are decided in one step: what is spent, and
 * what each running run holds. Everything is integer micro-USD.
 */
export interface TenantLedger {
  readonly v: 1;
  /** UTC day as `YYYY-MM-DD`. */
  readonly day: string;
  readonly spent: number;
  readonly runs: Readonly<Record<string, Lease>>;
}

/** The limits that a tenant's plan sets on its day. */
export interface LedgerLimits {
  readonly streams: number;
  /** Micro-USD. */
  readonly hardLimit: number;
}

/** Why a run was not let in. */
export type LedgerRefusal =
  | { refused: "tenant_streams" }
  /** `spent`: the day's money is gone; otherwise only running runs hold it. */
  | { refused: "tenant_daily_cost"; spent: boolean };

export type LedgerResult = { ledger: TenantLedger } | LedgerRefusal;

/** A lease that is not renewed for this long frees its slot. */
export const LEASE_MS = 30_000;

const DAY_MS = 86_400_000;

/** The UTC day of a time in milliseconds. */
export function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

/** Milliseconds until the next UTC midnight. */
export function untilMidnight(now: number): number {
  return DAY_MS - (now % DAY_MS);
}

/**
 * The ledger as it stands now: a new day begins at nothing, and a lease that its process let lapse gives
 * its slot back while its hold is charged in full, because what a dead process has spent is not known.
 * A run that crosses midnight is charged to the day it ends on.
 */
export function currentLedger(stored: TenantLedger | undefined, now: number): TenantLedger {
  const day = dayOf(now);
  let spent = stored?.day === day ? stored.spent : 0;
  const runs: Record<string, Lease> = {};
  for (const [runId, lease] of Object.entries(stored?.runs ?? {})) {
    if (lease.until > now) runs[runId] = lease;
    else if (dayOf(lease.until) === day) spent += lease.hold;
  }
  return { v: 1, day, spent, runs };
}

/** What running runs hold, in micro-USD. */
export function heldBy(ledger: TenantLedger): number {
  return Object.values(ledger.runs).reduce((sum, lease) => sum + lease.hold, 0);
}

/** Lets a run in with a hold; the same run again changes nothing, so a repeated commit is harmless. */
export function admitRun(
  stored: TenantLedger | undefined,
  run: { runId: string; hold: number; now: number; limits: LedgerLimits },
): LedgerResult {
  const { runId, hold, now, limits } = run;
  const ledger = currentLedger(stored, now);
  if (Object.hasOwn(ledger.runs, runId)) return { ledger };
  if (ledger.spent >= limits.hardLimit) return { refused: "tenant_daily_cost", spent: true };
  if (Object.keys(ledger.runs).length >= limits.streams) return { refused: "tenant_streams" };
  if (ledger.spent + heldBy(ledger) + hold > limits.hardLimit) {
    return { refused: "tenant_daily_cost", spent: false };
  }
  const runs = { ...ledger.runs, [runId]: { until: now + LEASE_MS, hold } };
  return { ledger: { ...ledger, runs } };
}

/** Sets aside for a run's next step what it needs on top; the run keeps what it holds if refused. */
export function raiseHold(
  stored: TenantLedger | undefined,
  run: { runId: string; hold: number; now: number; limits: LedgerLimits },
): LedgerResult {
  const ledger = currentLedger(stored, run.now);
  const others = heldBy(ledger) - (ledger.runs[run.runId]?.hold ?? 0);
  if (ledger.spent + others + run.hold > run.limits.hardLimit) {
    return { refused: "tenant_daily_cost", spent: ledger.spent >= run.limits.hardLimit };
  }
  const lease = { until: run.now + LEASE_MS, hold: run.hold };
  return { ledger: { ...ledger, runs: { ...ledger.runs, [run.runId]: lease } } };
}

/** Prolongs the leases of runs that still go on; one that has lapsed is not brought back. */
export function renewLeases(
  stored: TenantLedger | undefined,
  { runIds, now }: { runIds: readonly string[]; now: number },
): TenantLedger {
  const ledger = currentLedger(stored, now);
  const runs = { ...ledger.runs };
  for (const runId of runIds) {
    const lease = Object.hasOwn(runs, runId) ? runs[runId] : undefined;
    if (lease !== undefined) runs[runId] = { ...lease, until: now + LEASE_MS };
  }
  return { ...ledger, runs };
}

/**
 * Ends a run: its slot and hold go, its cost is charged. A run that is no longer there has been settled
 * or has lapsed with its hold charged, and is not charged again.
 */
export function settleRun(
  stored: TenantLedger | undefined,
  run: { runId: string; cost: number; now: number },
): TenantLedger {
  const ledger = currentLedger(stored, run.now);
  if (!Object.hasOwn(ledger.runs, run.runId)) return ledger;
  const { [run.runId]: _ended, ...runs } = ledger.runs;
  return { ...ledger, spent: ledger.spent + run.cost, runs };
}
