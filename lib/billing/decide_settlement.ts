import type { Transaction } from "../store/tx/operation.ts";
import { keys } from "../store/keys/keys.ts";
import { type RunEnd, runRecordSchema } from "../store/runs/run_record.ts";
import { addToUsage, usageKeyOf } from "../store/runs/usage_rows.ts";
import { allottedScopeLimits, readDivision, retentionOf, scopeMoment } from "./budget_scope.ts";
import {
  chargeRun,
  countsInPeriod,
  currentLedger,
  dayOf,
  findLease,
  type Ledger,
  remainingBudget,
} from "./ledger.ts";
import type { ChatIdempotencyRecord } from "./decide_run.ts";
import type { Limits } from "./limits.ts";
import type { ActiveRun } from "../store/runs/active_run.ts";

const DAY_MS = 86_400_000;
const RUN_RETENTION_MS = 90 * DAY_MS;

/** A run to be settled. */
export interface Settlement {
  activeRun: ActiveRun;
  end: RunEnd;
  /** What it has cost by the vendors' word, micro-USD; unknown for a process that died. */
  cost: number | undefined;
  /** It is charged no more than this, whatever a vendor reports; micro-USD. */
  ceiling: number;
  /** Unset for a settlement on behalf of another process, which never exceeds what was held. */
  limits?: Limits | undefined;
  /** Written in the same commit, as the end of what the run leaves behind. */
  settleHook?: SettleHook | undefined;
  /** The receipt of a run that never opened: whoever sends its message again begins another. */
  forgetKey?: Deno.KvKey | undefined;
  /** It costs more than it holds: whether there is room for that depends on the tenant's division. */
  exceedsHold?: boolean;
  /** Less than this is charged only where there is no more: its shard asks the others first. Micro-USD. */
  minCharge?: number;
  /** The shard of usage that this process writes. */
  shard?: number;
  now: number;
}

/** What else ends with a run; what is kept of the run while it goes on may be read and changed too. */
export interface SettleHook {
  keys: readonly Deno.KvKey[];
  /** Those of `keys` that were drawn at random just now, so that nobody can have written them. */
  freshKeys?: readonly Deno.KvKey[];
  /** About how many bytes it writes. */
  estimatedBytes: number;
  /** How long the run's record is kept, where that is not as usual; milliseconds. */
  retentionMs?: number;
  write(draft: Transaction, charge: Charge): void;
  /** Called when the run is settled; `late`: by somebody else, so that nothing was written. Never throws. */
  afterCommit?(how: { late: boolean }): Promise<void>;
}

/** Several as one; they write in their order. */
export function combineSettleHooks(closings: readonly SettleHook[]): SettleHook {
  const kept = closings.flatMap(({ retentionMs }) => retentionMs ?? []);
  return {
    ...(kept.length === 0 ? {} : { retentionMs: Math.min(...kept) }),
    keys: closings.flatMap((one) => one.keys),
    freshKeys: closings.flatMap((one) => one.freshKeys ?? []),
    estimatedBytes: closings.reduce((sum, one) => sum + one.estimatedBytes, 0),
    write(draft, charge) {
      for (const one of closings) one.write(draft, charge);
    },
    async afterCommit(how) {
      for (const one of closings) await one.afterCommit?.(how);
    },
  };
}

/** The shard of the tenant's ledger has too little for what a run costs beyond what it `held`. */
export class ShortShardError extends Error {
  override name = "ShortShardError";
  /** Micro-USD. */
  readonly held: number;

  constructor(held: number) {
    super("the shard of the ledger has too little for the run");
    this.held = held;
  }
}

/** What a run was charged, and what nobody was charged for. Micro-USD. */
export interface Charge {
  charged: number;
  excess: number;
}

/** The keys that settling a run touches. */
export function settlementKeys(settlement: Settlement): Deno.KvKey[] {
  const { activeRun, now, cost, settleHook, exceedsHold, forgetKey, shard } = settlement;
  const days = [dayOf(now)];
  // A dead process's run may have been alive yesterday: it counts there.
  if (cost === undefined) days.push(dayOf(now - DAY_MS));
  return [
    ...activeRun.accounts.map(({ key }) => key),
    ...(exceedsHold ? [keys.ledgerDivision(activeRun.run.tenant)] : []),
    ...days.map((day) => usageKeyOf(activeRun.run, day, shard)),
    // Without a closing nothing is stored of the run beside its account, so nobody else writes its entry.
    ...(settleHook === undefined
      ? []
      : [keys.activeRun(activeRun.run.tenant, activeRun.run.runId), ...settleHook.keys]),
    ...(forgetKey === undefined ? [] : [forgetKey]),
  ];
}

/**
 * Charges a run to all its accounts, frees its slot and records it: once. Answers nothing when it has
 * been settled before. Its own process charges it to the day it ends on; a dead one's run is charged
 * all it held, to the day its lease lapsed on. Throws `ShortShardError` for one that is to be charged more,
 * `within` what all shards together have, than its own shard has now.
 */
export function decideSettlement(draft: Transaction, settlement: Settlement): Charge | undefined {
  const { activeRun, end, now } = settlement;
  const { runId, tenant } = activeRun.run;
  const lease = findLease(draft.get<Ledger>(activeRun.accounts[0]!.key), runId);
  if (lease === undefined) return undefined;
  const isDead = settlement.cost === undefined;
  const cost = settlement.cost ?? lease.hold;
  const charged = Math.max(
    0,
    Math.min(cost, settlement.ceiling, chargeableAmount(draft, settlement)),
  );
  for (const account of activeRun.accounts) {
    const moment = scopeMoment(account, now);
    const ledger = currentLedger(draft.get<Ledger>(account.key), moment);
    const { period } = ledger;
    const due = isDead && !countsInPeriod(lease, { now, period }) ? 0 : charged;
    draft.update<Ledger>(account.key, (held, isOwn) => {
      return chargeRun(currentLedger(held, moment), { runId, cost: due }, isOwn);
    }, retentionOf(account));
  }
  const endedAt = isDead ? Math.min(now, lease.until) : now;
  const excess = cost - charged;
  // A vendor's word is no number until it is checked: one NaN would lift every limit of the day.
  const told = { v: 1, ...activeRun.run, ...end, endedAt, cost: charged, excess };
  const record = runRecordSchema.parse(told);
  addToUsage(draft, usageKeyOf(activeRun.run, usageDay(endedAt, now), settlement.shard), record);
  const expireIn = settlement.settleHook?.retentionMs ?? RUN_RETENTION_MS;
  draft.blindWrite(keys.run(tenant, runId), record, { expireIn });
  settlement.settleHook?.write(draft, { charged, excess });
  clearActiveRun(draft, settlement);
  deleteIdempotencyRecord(draft, settlement);
  return { charged, excess };
}

function deleteIdempotencyRecord(draft: Transaction, { forgetKey, activeRun }: Settlement): void {
  if (forgetKey === undefined) return;
  const receipt = draft.get<ChatIdempotencyRecord>(forgetKey);
  if (receipt?.runId === activeRun.run.runId) draft.delete(forgetKey);
}

/** Nothing is left to settle of the run. */
export function clearActiveRun(draft: Transaction, { activeRun, settleHook }: Settlement): void {
  const key = keys.activeRun(activeRun.run.tenant, activeRun.run.runId);
  if (settleHook === undefined) draft.blindWrite(key, undefined);
  else draft.delete(key);
}

/** What a run can be charged without any account going past its limit. */
function chargeableAmount(draft: Transaction, settlement: Settlement): number {
  const { activeRun, limits, exceedsHold, now } = settlement;
  if (limits === undefined) return Infinity;
  const division = exceedsHold ? readDivision(draft, activeRun.run.tenant) : undefined;
  const rooms = activeRun.accounts.map((account) => {
    const moment = scopeMoment(account, now, division);
    const ledger = currentLedger(draft.get<Ledger>(account.key), moment);
    const within = allottedScopeLimits(account, { limits, division, moment });
    // What the run holds is its own, however the limits are divided.
    const hold = findLease(ledger, activeRun.run.runId)?.hold ?? 0;
    if (account.kind === "tenant" && !exceedsHold) return hold;
    if (within === undefined) return hold;
    return Math.max(
      hold,
      remainingBudget(ledger, { runId: activeRun.run.runId, limits: within, moment }),
    );
  });
  if (division !== undefined) assertShardHasEnough(settlement, { draft, rooms });
  return Math.min(...rooms);
}

function assertShardHasEnough(
  { activeRun, cost = 0, ceiling, minCharge = 0 }: Settlement,
  { draft, rooms: [room, ...others] }: { draft: Transaction; rooms: readonly number[] },
): void {
  if (room! >= Math.min(cost, ceiling, minCharge, ...others)) return;
  const lease = findLease(draft.get<Ledger>(activeRun.accounts[0]!.key), activeRun.run.runId);
  throw new ShortShardError(lease!.hold);
}

/** One that nobody settled for days counts yesterday: its row is the oldest at hand. */
function usageDay(endedAt: number, now: number): string {
  const [day, yesterday] = [dayOf(endedAt), dayOf(now - DAY_MS)];
  return day < yesterday ? yesterday : day;
}
