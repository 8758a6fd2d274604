import type { Runtime } from "../platform/runtime.ts";
import type { ActiveRun } from "../store/runs/active_run.ts";
import type { RunFacts } from "../store/runs/run_record.ts";
import type { GroupCommitter } from "../store/tx/group_committer.ts";
import type { Transaction } from "../store/tx/operation.ts";
import {
  allottedScopeLimits,
  type BudgetScope,
  readDivision,
  readScopeLedgers,
  retentionOf,
} from "./budget_scope.ts";
import { findLease, remainingBudget, renewLeases, setLease } from "./ledger.ts";
import type { Limits } from "./limits.ts";
import {
  raiseVisitorHold,
  readVisitorAccount,
  remainingVisitorBudget,
  writeVisitorAccount,
} from "./visitor_account.ts";

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
  const lease = findLease(ledgers[0]!.ledger, runId);
  if (lease === undefined) return undefined;
  const budgets = ledgers.map(({ scope, ledger, moment }) => {
    const allotted = allottedScopeLimits(scope, { limits, division, moment });
    if (allotted === undefined) return 0;
    return remainingBudget(ledger, { runId, limits: allotted, moment });
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
    tx.set(scope.key, setLease(ledger, { runId, hold: granted, now }), retentionOf(scope));
  }
  return { granted };
}

/** Renews the leases of all runs of a process; returns the runs that another process has settled. */
export async function renewAllLeases(committer: GroupCommitter, { running, runtime }: {
  running: ReadonlyMap<string, { activeRun: ActiveRun }>;
  runtime: Pick<Runtime, "now">;
}): Promise<Set<string>> {
  const leases = [...running].flatMap(([runId, { activeRun }]) =>
    activeRun.accounts.map((scope) => ({ runId, scope, name: scope.key.join(" ") }))
  );
  const byScope = Map.groupBy(leases, ({ name }) => name);
  const lost = await Promise.all([...byScope.values()].map((group) => {
    const { scope } = group[0]!;
    const runIds = group.map(({ runId }) => runId);
    return committer.run({
      keys: [scope.key],
      decide(tx) {
        const now = runtime.now();
        const { ledger } = readScopeLedgers(tx, [scope], { now })[0]!;
        tx.set(scope.key, renewLeases(ledger, { runIds, now }), retentionOf(scope));
        return runIds.filter((runId) => findLease(ledger, runId) === undefined);
      },
    });
  }));
  return new Set(lost.flat());
}
