import type { GroupCommitter } from "../store/tx/group_committer.ts";
import type { Transaction } from "../store/tx/operation.ts";
import type { ActiveRun } from "../store/runs/active_run.ts";
import type { Runtime } from "../platform/runtime.ts";
import {
  allottedScopeLimits,
  type BudgetScope,
  readDivision,
  retentionOf,
  scopeMoment,
} from "./budget_scope.ts";
import {
  currentLedger,
  findLease,
  type Ledger,
  remainingBudget,
  renewLeases,
  setLease,
} from "./ledger.ts";
import type { Limits } from "./limits.ts";

/** A running run that wants more set aside; all in micro-USD and in all, not on top. */
export interface RaiseRequest {
  runId: string;
  tenant: string;
  scopes: readonly BudgetScope[];
  limits: Limits;
  hold: number;
  minHold: number;
  now: number;
}

/** What came of it; nothing, and no change, when there is no room for it or the run has been settled. */
export type RaiseResult =
  | { granted: number }
  /** The shard of the tenant's ledger needs more of what the other shards have; `held` is its hold. */
  | { short: true; held: number }
  | undefined;

/** Changes what a run holds, in all its accounts alike. The operation names the tenant's division too. */
export function raiseHold(draft: Transaction, request: RaiseRequest): RaiseResult {
  const { runId, scopes, limits, hold, minHold, now } = request;
  const division = readDivision(draft, request.tenant);
  const ledgers = scopes.map((account) => {
    const moment = scopeMoment(account, now, division);
    const ledger = currentLedger(draft.get<Ledger>(account.key), moment);
    return { account, ledger, moment };
  });
  const lease = findLease(ledgers[0]!.ledger, runId);
  if (lease === undefined) return undefined;
  const rooms = ledgers.map(({ account, ledger, moment }) => {
    const within = allottedScopeLimits(account, { limits, division, moment });
    return within === undefined ? 0 : remainingBudget(ledger, { runId, limits: within, moment });
  });
  if (division !== undefined && rooms[0]! < hold) return { short: true, held: lease.hold };
  const granted = Math.min(hold, ...rooms);
  if (granted < minHold) return undefined;
  for (const { account, ledger } of ledgers) {
    draft.set(account.key, setLease(ledger, { runId, hold: granted, now }), retentionOf(account));
  }
  return { granted };
}

/**
 * Prolongs the leases of all runs of a process: all accounts together, in as few commits as they fit
 * into. Answers the runs that somebody else has settled.
 */
export async function renewAllLeases(
  committer: GroupCommitter,
  { running, runtime }: {
    running: ReadonlyMap<string, { activeRun: ActiveRun }>;
    runtime: Pick<Runtime, "now">;
  },
): Promise<Set<string>> {
  const leases = [...running].flatMap(([runId, { activeRun }]) =>
    activeRun.accounts.map((account) => ({ runId, account, name: account.key.join(" ") }))
  );
  const byAccount = Map.groupBy(leases, ({ name }) => name);
  const lost = await Promise.all([...byAccount.values()].map((of) => {
    const { account } = of[0]!;
    const runIds = of.map(({ runId }) => runId);
    return committer.run({
      keys: [account.key],
      decide: (draft) => renewScope(draft, { account, runIds, now: runtime.now() }),
    });
  }));
  return new Set(lost.flat());
}

/** Prolongs the leases of one account; answers the runs that somebody else has settled. */
function renewScope(
  draft: Transaction,
  { account, runIds, now }: { account: BudgetScope; runIds: readonly string[]; now: number },
): string[] {
  const ledger = currentLedger(draft.get<Ledger>(account.key), scopeMoment(account, now));
  draft.set(account.key, renewLeases(ledger, { runIds, now }), retentionOf(account));
  return runIds.filter((runId) => findLease(ledger, runId) === undefined);
}
