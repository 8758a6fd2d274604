import type { Runtime } from "../platform/runtime.ts";
import { keys } from "../store/keys/keys.ts";
import type { ActiveRun, BudgetScope } from "../store/runs/active_run.ts";
import type { RunFacts } from "../store/runs/run_record.ts";
import type { GroupCommitter } from "../store/tx/group_committer.ts";
import type { Transaction } from "../store/tx/operation.ts";
import {
  allottedScopeLimits,
  readDivision,
  readScopeLedgers,
  retentionOf,
} from "./budget_scope.ts";
import { findLease, renewLeases } from "./ledger.ts";
import type { Limits } from "./limits.ts";
import {
  changeHold,
  changeRunHold,
  forgetLost,
  readRunLease,
  remainingForRun,
} from "./run_lease.ts";
import {
  raiseVisitorHold,
  readVisitorAccount,
  remainingVisitorBudget,
  writeVisitorAccount,
} from "./visitor_account.ts";

/** Deno KV reads at most this many keys in one call. */
const KEYS_PER_READ = 10;

/** A request of an active run for a larger hold; amounts are totals in micro-USD. */
export interface RaiseRequest {
  run: RunFacts;
  scopes: readonly BudgetScope[];
  limits: Limits;
  hold: number;
  minHold: number;
  now: number;
}

/** `undefined`, with nothing changed, if there is no budget or the run was settled. */
export type RaiseResult =
  | { granted: number }
  /** The shard of the tenant's ledger needs budget from the other shards; `held` is the current hold. */
  | { short: true; held: number }
  | undefined;

/** Changes what a run holds in all its scopes. The operation must list the key of the tenant's division. */
export function raiseHold(tx: Transaction, request: RaiseRequest): RaiseResult {
  const { run: { runId, tenant }, limits, hold, now } = request;
  const division = readDivision(tx, tenant);
  const ledgers = readScopeLedgers(tx, request.scopes, { now, division });
  const { scopes, run } = request;
  const lease = readRunLease(tx, { scopes, run });
  if (lease === undefined) return undefined;
  const budgets = ledgers.map(({ scope, ledger, moment }) => {
    const allotted = allottedScopeLimits(scope, { limits, division, moment });
    if (allotted === undefined) return 0;
    return remainingForRun(ledger, { scope, runId, hold: lease.hold, limits: allotted, moment });
  });
  if (division !== undefined && budgets[0]! < hold) return { short: true, held: lease.hold };
  const visitor = readVisitorAccount(tx, request.run);
  if (visitor !== undefined) budgets.push(remainingVisitorBudget(visitor, { runId, now }));
  const granted = Math.min(hold, ...budgets);
  if (granted < request.minHold) return undefined;
  if (visitor !== undefined) {
    writeVisitorAccount(tx, request.run, raiseVisitorHold(visitor, { runId, hold: granted }));
  }
  for (const { scope, ledger } of ledgers) {
    const change = { scope, runId, hold: granted, before: lease.hold, now };
    tx.set(scope.key, changeHold(ledger, change), retentionOf(scope));
  }
  changeRunHold(tx, { scopes, run, hold: granted });
  return { granted };
}

/** Runs of one process with leases in one ledger. */
interface LeaseGroup {
  scope: BudgetScope;
  runs: readonly RunFacts[];
}

/** Renews the leases of all runs of a process; returns the runs that another process has settled. */
export async function renewAllLeases(committer: GroupCommitter, { running, runtime }: {
  running: ReadonlyMap<string, { activeRun: ActiveRun }>;
  runtime: Pick<Runtime, "now">;
}): Promise<Set<string>> {
  const leases = [...running.values()].flatMap(({ activeRun: { accounts, run } }) =>
    accounts.map((scope) => ({ run, scope, name: [...scope.key, scope.sharedLease].join(" ") }))
  );
  const byScope = Map.groupBy(leases, ({ name }) => name);
  const lost = await Promise.all([...byScope.values()].map((all) => {
    const { scope } = all[0]!;
    const group: LeaseGroup = { scope, runs: all.map(({ run }) => run) };
    const { sharedLease } = scope;
    if (sharedLease === undefined) return renewOwnLeases(committer, group, runtime);
    return renewSharedLease(committer, { ...group, sharedLease }, runtime);
  }));
  return new Set(lost.flat());
}

function renewOwnLeases(
  committer: GroupCommitter,
  { scope, runs }: LeaseGroup,
  runtime: Pick<Runtime, "now">,
): Promise<string[]> {
  const runIds = runs.map(({ runId }) => runId);
  return committer.run({
    keys: [scope.key],
    decide(tx) {
      const now = runtime.now();
      const { ledger } = readScopeLedgers(tx, [scope], { now })[0]!;
      tx.set(scope.key, renewLeases(ledger, { runIds, now }), retentionOf(scope));
      return runIds.filter((runId) => findLease(ledger, runId) === undefined);
    },
  });
}

/** Looks for runs that were settled only if others have settled any: there may be thousands of runs. */
async function renewSharedLease(
  committer: GroupCommitter,
  { scope, runs, sharedLease }: LeaseGroup & { sharedLease: string },
  runtime: Pick<Runtime, "now">,
): Promise<string[]> {
  const lost = await committer.run({
    keys: [scope.key],
    decide(tx) {
      const now = runtime.now();
      const { ledger } = readScopeLedgers(tx, [scope], { now })[0]!;
      const lease = findLease(ledger, sharedLease);
      if (lease === undefined) return runs.length;
      tx.set(scope.key, renewLeases(ledger, { runIds: [sharedLease], now }), retentionOf(scope));
      return lease.lost ?? 0;
    },
  });
  if (lost === 0) return [];
  const settled = await findSettled(committer, runs);
  // The mark goes last, so that it is found again if this process fails before.
  await committer.run({
    keys: [scope.key],
    decide(tx) {
      const { ledger } = readScopeLedgers(tx, [scope], { now: runtime.now() })[0]!;
      const next = forgetLost(ledger, { sharedLease, lost });
      if (next !== ledger) tx.set(scope.key, next, retentionOf(scope));
    },
  });
  return settled;
}

/** The runs that share a lease and hold nothing any more. */
async function findSettled(
  committer: GroupCommitter,
  runs: readonly RunFacts[],
): Promise<string[]> {
  const settled: string[] = [];
  for (let i = 0; i < runs.length; i += KEYS_PER_READ) {
    const some = runs.slice(i, i + KEYS_PER_READ);
    const wanted = some.map(({ tenant, runId }) => keys.runHold(tenant, runId));
    const held = await committer.readSnapshot(wanted);
    settled.push(...some.flatMap(({ runId }, n) => held[n] === undefined ? runId : []));
  }
  return settled;
}
