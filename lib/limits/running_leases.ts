import type { Draft } from "../committer/operation.ts";
import { type Account, keptFor, limitsOf, momentOf } from "./accounts.ts";
import { currentLedger, leaseOf, type Ledger, renewLeases, roomOf, setLease } from "./ledger.ts";
import type { Limits } from "./limits.ts";

/** A running run that wants more set aside; all in micro-USD and in all, not on top. */
export interface RaiseRequest {
  runId: string;
  accounts: readonly Account[];
  limits: Limits;
  hold: number;
  least: number;
  now: number;
}

/**
 * Changes what a run holds, in all its accounts alike. Answers what was granted; nothing, and no change,
 * when there is no room for `least` or the run has been settled by somebody else.
 */
export function raiseHold(draft: Draft, request: RaiseRequest): number | undefined {
  const { runId, accounts, limits, hold, least, now } = request;
  const ledgers = accounts.map((account) => {
    const moment = momentOf(account, now);
    const ledger = currentLedger(draft.get<Ledger>(account.key), moment);
    return { account, ledger, moment };
  });
  if (leaseOf(ledgers[0]!.ledger, runId) === undefined) return undefined;
  const rooms = ledgers.map(({ account, ledger, moment }) =>
    roomOf(ledger, { runId, limits: limitsOf(account, limits), moment })
  );
  const granted = Math.min(hold, ...rooms);
  if (granted < least) return undefined;
  for (const { account, ledger } of ledgers) {
    draft.set(account.key, setLease(ledger, { runId, hold: granted, now }), keptFor(account));
  }
  return granted;
}

/** Prolongs the leases of one account; answers the runs that somebody else has settled. */
export function renewAccount(
  draft: Draft,
  { account, runIds, now }: { account: Account; runIds: readonly string[]; now: number },
): string[] {
  const ledger = currentLedger(draft.get<Ledger>(account.key), momentOf(account, now));
  draft.set(account.key, renewLeases(ledger, { runIds, now }), keptFor(account));
  return runIds.filter((runId) => leaseOf(ledger, runId) === undefined);
}
