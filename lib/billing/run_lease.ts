import { keys } from "../store/keys/keys.ts";
import type { BudgetScope } from "../store/runs/active_run.ts";
import type { RunFacts } from "../store/runs/run_record.ts";
import type { Transaction } from "../store/tx/operation.ts";
import {
  chargeRun,
  findLease,
  type Lease,
  LEASE_MS,
  type Ledger,
  type LedgerLimits,
  MAX_LEASES,
  type Moment,
  remainingBudget,
  setLease,
  toMutable,
} from "./ledger.ts";

/** How long a lease that other processes have emptied stays, so that its process learns of it. */
const EMPTY_LEASE_MS = 60 * 60_000;

/** Runs that a lease remembers; more than one commit admits. */
const LATEST_RUNS = 128;
/** Characters of an id that are remembered: 48 random bits. */
const REMEMBERED_LENGTH = 12;

/**
 * A run whose lease is shared with the other runs of its process: the lease has the sum of their holds and
 * their number, and each run has a record of its hold, which exists until the run is settled.
 */
interface RunHold {
  v: 1;
  /** Micro-USD. */
  hold: number;
}

type NamedRun = Pick<RunFacts, "tenant" | "runId">;

/** True if a tenant may have more streams than one ledger has room for as separate leases. */
export function sharesLeases(streams: number): boolean {
  return streams > MAX_LEASES;
}

/** The key of a run's hold, if it shares a lease. */
export function runHoldKeys([tenant]: readonly BudgetScope[], run: NamedRun): Deno.KvKey[] {
  return tenant?.sharedLease === undefined ? [] : [keys.runHold(run.tenant, run.runId)];
}

/** The lease of a run in its tenant's ledger, lapsed or not, with what the run itself holds. */
export function readRunLease(
  tx: Pick<Transaction, "get">,
  { scopes, run }: { scopes: readonly BudgetScope[]; run: NamedRun },
): Lease | undefined {
  const { key, sharedLease } = scopes[0]!;
  const ledger = tx.get<Ledger>(key);
  if (sharedLease === undefined) return findLease(ledger, run.runId);
  const held = tx.get<RunHold>(keys.runHold(run.tenant, run.runId));
  if (held === undefined) return undefined;
  return { until: findLease(ledger, sharedLease)?.until ?? 0, hold: held.hold };
}

/**
 * What a run holds that an earlier attempt of its admission has started, which had an unknown outcome. The
 * operation does not list the key of a shared lease's `RunHold`: on some stores a message has no check
 * left for it. `attempted` is then what the attempts granted at least.
 */
export function findStartedHold(
  ledger: Ledger,
  { scope, runId, attempted = 0 }: {
    scope: BudgetScope;
    runId: string;
    attempted: number | undefined;
  },
): number | undefined {
  if (scope.sharedLease === undefined) return findLease(ledger, runId)?.hold;
  const { latest = [] } = findLease(ledger, scope.sharedLease) ?? {};
  return latest.includes(runId.slice(-REMEMBERED_LENGTH)) ? attempted : undefined;
}

interface HoldChange {
  scopes: readonly BudgetScope[];
  run: NamedRun;
  /** Micro-USD. */
  hold: number;
}

/** Stores what a new run holds, if it shares a lease. */
export function createRunHold(tx: Transaction, { scopes, run, hold }: HoldChange): void {
  for (const key of runHoldKeys(scopes, run)) tx.create(key, { v: 1, hold } satisfies RunHold);
}

/** Stores what a run holds now, if it shares a lease; the operation must list its `runHoldKeys`. */
export function changeRunHold(tx: Transaction, { scopes, run, hold }: HoldChange): void {
  for (const key of runHoldKeys(scopes, run)) tx.set(key, { v: 1, hold } satisfies RunHold);
}

/** What a run with this lease may hold in a scope, given what the others hold; micro-USD. */
export function remainingForRun(ledger: Ledger, { scope, runId, hold, limits, moment }: {
  scope: BudgetScope;
  runId: string;
  hold: number;
  limits: LedgerLimits;
  moment: Moment;
}): number {
  if (scope.sharedLease === undefined) return remainingBudget(ledger, { runId, limits, moment });
  return remainingBudget(ledger, { limits, moment }) + hold;
}

/**
 * The ledger with a shared lease as the process that decides renews it: all of its holds and streams count
 * again, however long ago it lapsed.
 */
export function withLiveLease(
  ledger: Ledger,
  { sharedLease, now }: { sharedLease: string | undefined; now: number },
): Ledger {
  const lease = sharedLease === undefined ? undefined : findLease(ledger, sharedLease);
  if (lease === undefined || lease.until > now) return ledger;
  return {
    ...ledger,
    runs: { ...ledger.runs, [sharedLease!]: { ...lease, until: now + LEASE_MS } },
  };
}

interface LeaseChange {
  scope: BudgetScope;
  runId: string;
  /** What the run holds, micro-USD. */
  hold: number;
  now: number;
}

/** Starts a run's lease, or joins the one that it shares. Mutates the ledger if `isOwn`. */
export function startLease(ledger: Ledger, change: LeaseChange, isOwn = false): Ledger {
  const { sharedLease } = change.scope;
  if (sharedLease === undefined) return setLease(ledger, change, isOwn);
  const { runId, now } = change;
  const next = toMutable(ledger, isOwn);
  const before = findLease(next, sharedLease);
  if (before === undefined) removeEmptyLeases(next.runs, now);
  const { hold = 0, streams = 0, latest = [] } = before ?? {};
  next.runs[sharedLease] = {
    ...before,
    until: now + LEASE_MS,
    hold: hold + change.hold,
    streams: streams + 1,
    latest: [...latest.slice(1 - LATEST_RUNS), runId.slice(-REMEMBERED_LENGTH)],
  };
  return next;
}

/** Changes what an active run holds, and renews its lease. */
export function changeHold(ledger: Ledger, change: LeaseChange & { before: number }): Ledger {
  const { sharedLease } = change.scope;
  if (sharedLease === undefined) return setLease(ledger, change);
  const lease = findLease(ledger, sharedLease)!;
  const hold = lease.hold + change.hold - change.before;
  const until = change.now + LEASE_MS;
  return { ...ledger, runs: { ...ledger.runs, [sharedLease]: { ...lease, until, hold } } };
}

/**
 * Ends a run's lease, or leaves the one that it shares, and adds its cost (micro-USD). Call it once for a
 * run that shares a lease. Mutates the ledger if `isOwn`.
 */
export function endLease(
  ledger: Ledger,
  { scope: { sharedLease }, runId, hold, cost, isOrphaned }:
    & Omit<LeaseChange, "now">
    & { cost: number; isOrphaned: boolean },
  isOwn = false,
): Ledger {
  if (sharedLease === undefined) return chargeRun(ledger, { runId, cost }, isOwn);
  const next = toMutable(ledger, isOwn);
  next.spent += cost;
  const lease = findLease(next, sharedLease);
  if (lease === undefined) return next;
  const streams = (lease.streams ?? 1) - 1;
  const lost = (lease.lost ?? 0) + (isOrphaned ? 1 : 0);
  if (streams <= 0 && lost === 0) delete next.runs[sharedLease];
  else next.runs[sharedLease] = { ...lease, hold: lease.hold - hold, streams, ...lost && { lost } };
  return next;
}

/** Without the mark that `lost` runs of the lease were settled by others, once its process knows. */
export function forgetLost(
  ledger: Ledger,
  { sharedLease, lost }: { sharedLease: string; lost: number },
): Ledger {
  const { [sharedLease]: lease, ...runs } = ledger.runs;
  if (lease === undefined) return ledger;
  const { lost: marked = 0, ...others } = lease;
  const left = Math.max(0, marked - lost);
  if (left === 0 && others.streams === 0) return { ...ledger, runs };
  const next = left === 0 ? others : { ...others, lost: left };
  return { ...ledger, runs: { ...runs, [sharedLease]: next } };
}

/** Removes shared leases of processes that died and whose runs are all settled. */
function removeEmptyLeases(runs: Record<string, Lease>, now: number): void {
  for (const [name, { streams, until }] of Object.entries(runs)) {
    if (streams === 0 && until + EMPTY_LEASE_MS <= now) delete runs[name];
  }
}
