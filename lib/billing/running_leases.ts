import type { Committer } from "../store/tx/committer.ts";
import type { Draft } from "../store/tx/operation.ts";
import type { ActiveRun } from "../store/runs/active_run.ts";
import type { Runtime } from "../platform/runtime.ts";
import { type Account, divisionIn, keptFor, limitsWithin, momentOf } from "./accounts.ts";
import { currentLedger, leaseOf, type Ledger, renewLeases, roomOf, setLease } from "./ledger.ts";
import type { Limits } from "./limits.ts";

/** A running run that wants more set aside; all in micro-USD and in all, not on top. */
export interface RaiseRequest {
  runId: string;
  tenant: string;
  accounts: readonly Account[];
  limits: Limits;
  hold: number;
  least: number;
  now: number;
}

/** What came of it; nothing, and no change, when there is no room for it or the run has been settled. */
export type Raised =
  | { granted: number }
  /** The shard of the tenant's ledger needs more of what the other shards have; `held` is its hold. */
  | { short: true; held: number }
  | undefined;

/** Changes what a run holds, in all its accounts alike. The operation names the tenant's division too. */
export function raiseHold(draft: Draft, request: RaiseRequest): Raised {
  const { runId, accounts, limits, hold, least, now } = request;
  const division = divisionIn(draft, request.tenant);
  const ledgers = accounts.map((account) => {
    const moment = momentOf(account, now, division);
    const ledger = currentLedger(draft.get<Ledger>(account.key), moment);
    return { account, ledger, moment };
  });
  const lease = leaseOf(ledgers[0]!.ledger, runId);
  if (lease === undefined) return undefined;
  const rooms = ledgers.map(({ account, ledger, moment }) => {
    const within = limitsWithin(account, { limits, division, moment });
    return within === undefined ? 0 : roomOf(ledger, { runId, limits: within, moment });
  });
  if (division !== undefined && rooms[0]! < hold) return { short: true, held: lease.hold };
  const granted = Math.min(hold, ...rooms);
  if (granted < least) return undefined;
  for (const { account, ledger } of ledgers) {
    draft.set(account.key, setLease(ledger, { runId, hold: granted, now }), keptFor(account));
  }
  return { granted };
}

/**
 * Prolongs the leases of all runs of a process: all accounts together, in as few commits as they fit
 * into. Answers the runs that somebody else has settled.
 */
export async function renewAll(
  committer: Committer,
  { running, runtime }: {
    running: ReadonlyMap<string, { live: ActiveRun }>;
    runtime: Pick<Runtime, "now">;
  },
): Promise<Set<string>> {
  const leases = [...running].flatMap(([runId, { live }]) =>
    live.accounts.map((account) => ({ runId, account, name: account.key.join(" ") }))
  );
  const byAccount = Map.groupBy(leases, ({ name }) => name);
  const lost = await Promise.all([...byAccount.values()].map((of) => {
    const { account } = of[0]!;
    const runIds = of.map(({ runId }) => runId);
    return committer.run({
      keys: [account.key],
      decide: (draft) => renewAccount(draft, { account, runIds, now: runtime.now() }),
    });
  }));
  return new Set(lost.flat());
}

/** Prolongs the leases of one account; answers the runs that somebody else has settled. */
function renewAccount(
  draft: Draft,
  { account, runIds, now }: { account: Account; runIds: readonly string[]; now: number },
): string[] {
  const ledger = currentLedger(draft.get<Ledger>(account.key), momentOf(account, now));
  draft.set(account.key, renewLeases(ledger, { runIds, now }), keptFor(account));
  return runIds.filter((runId) => leaseOf(ledger, runId) === undefined);
}
