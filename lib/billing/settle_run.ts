import type { Draft } from "../store/tx/operation.ts";
import { keys } from "../store/keys/keys.ts";
import { type RunEnd, runRecordSchema } from "../store/runs/run_record.ts";
import { addToUsage, usageKeyOf } from "../store/runs/usage_rows.ts";
import { divisionIn, keptFor, limitsWithin, momentOf } from "./accounts.ts";
import {
  currentLedger,
  dayOf,
  isCounted,
  leaseOf,
  type Ledger,
  roomOf,
  settleRun,
} from "./ledger.ts";
import type { ChatReceipt } from "./decide_run.ts";
import type { Limits } from "./limits.ts";
import type { ActiveRun } from "../store/runs/active_run.ts";

const DAY_MS = 86_400_000;
const RUN_KEPT_MS = 90 * DAY_MS;

/** A run to be settled. */
export interface Settlement {
  live: ActiveRun;
  end: RunEnd;
  /** What it has cost by the vendors' word, micro-USD; unknown for a process that died. */
  cost: number | undefined;
  /** It is charged no more than this, whatever a vendor reports; micro-USD. */
  ceiling: number;
  /** Unset for a settlement on behalf of another process, which never exceeds what was held. */
  limits?: Limits | undefined;
  /** Written in the same commit, as the end of what the run leaves behind. */
  closing?: Closing | undefined;
  /** The receipt of a run that never opened: whoever sends its message again begins another. */
  forget?: Deno.KvKey | undefined;
  /** It costs more than it holds: whether there is room for that depends on the tenant's division. */
  exceedsHold?: boolean;
  /** Less than this is charged only where there is no more: its shard asks the others first. Micro-USD. */
  within?: number;
  /** The shard of usage that this process writes. */
  shard?: number;
  now: number;
}

/** What else ends with a run; what is kept of the run while it goes on may be read and changed too. */
export interface Closing {
  keys: readonly Deno.KvKey[];
  /** Those of `keys` that were drawn at random just now, so that nobody can have written them. */
  drawn?: readonly Deno.KvKey[];
  /** About how many bytes it writes. */
  bytes: number;
  /** How long the run's record is kept, where that is not as usual; milliseconds. */
  keptMs?: number;
  write(draft: Draft, charge: Charge): void;
  /** Called when the run is settled; `late`: by somebody else, so that nothing was written. Never throws. */
  afterwards?(how: { late: boolean }): Promise<void>;
}

/** Several as one; they write in their order. */
export function joinClosings(closings: readonly Closing[]): Closing {
  const kept = closings.flatMap(({ keptMs }) => keptMs ?? []);
  return {
    ...(kept.length === 0 ? {} : { keptMs: Math.min(...kept) }),
    keys: closings.flatMap((one) => one.keys),
    drawn: closings.flatMap((one) => one.drawn ?? []),
    bytes: closings.reduce((sum, one) => sum + one.bytes, 0),
    write(draft, charge) {
      for (const one of closings) one.write(draft, charge);
    },
    async afterwards(how) {
      for (const one of closings) await one.afterwards?.(how);
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
  const { live, now, cost, closing, exceedsHold, forget, shard } = settlement;
  const days = [dayOf(now)];
  // A dead process's run may have been alive yesterday: it counts there.
  if (cost === undefined) days.push(dayOf(now - DAY_MS));
  return [
    ...live.accounts.map(({ key }) => key),
    ...(exceedsHold ? [keys.ledgerDivision(live.run.tenant)] : []),
    ...days.map((day) => usageKeyOf(live.run, day, shard)),
    // Without a closing nothing is stored of the run beside its account, so nobody else writes its entry.
    ...(closing === undefined
      ? []
      : [keys.activeRun(live.run.tenant, live.run.runId), ...closing.keys]),
    ...(forget === undefined ? [] : [forget]),
  ];
}

/**
 * Charges a run to all its accounts, frees its slot and records it: once. Answers nothing when it has
 * been settled before. Its own process charges it to the day it ends on; a dead one's run is charged
 * all it held, to the day its lease lapsed on. Throws `ShortShardError` for one that is to be charged more,
 * `within` what all shards together have, than its own shard has now.
 */
export function decideSettlement(draft: Draft, settlement: Settlement): Charge | undefined {
  const { live, end, now } = settlement;
  const { runId, tenant } = live.run;
  const lease = leaseOf(draft.get<Ledger>(live.accounts[0]!.key), runId);
  if (lease === undefined) return undefined;
  const isDead = settlement.cost === undefined;
  const cost = settlement.cost ?? lease.hold;
  const charged = Math.max(0, Math.min(cost, settlement.ceiling, roomFor(draft, settlement)));
  for (const account of live.accounts) {
    const moment = momentOf(account, now);
    const ledger = currentLedger(draft.get<Ledger>(account.key), moment);
    const { period } = ledger;
    const due = isDead && !isCounted(lease, { now, period }) ? 0 : charged;
    draft.update<Ledger>(account.key, (held, isOwn) => {
      return settleRun(currentLedger(held, moment), { runId, cost: due }, isOwn);
    }, keptFor(account));
  }
  const endedAt = isDead ? Math.min(now, lease.until) : now;
  const excess = cost - charged;
  // A vendor's word is no number until it is checked: one NaN would lift every limit of the day.
  const told = { v: 1, ...live.run, ...end, endedAt, cost: charged, excess };
  const record = runRecordSchema.parse(told);
  addToUsage(draft, usageKeyOf(live.run, usageDay(endedAt, now), settlement.shard), record);
  const expireIn = settlement.closing?.keptMs ?? RUN_KEPT_MS;
  draft.note(keys.run(tenant, runId), record, { expireIn });
  settlement.closing?.write(draft, { charged, excess });
  clearLiveRun(draft, settlement);
  forgetReceipt(draft, settlement);
  return { charged, excess };
}

function forgetReceipt(draft: Draft, { forget, live }: Settlement): void {
  if (forget === undefined) return;
  const receipt = draft.get<ChatReceipt>(forget);
  if (receipt?.runId === live.run.runId) draft.delete(forget);
}

/** Nothing is left to settle of the run. */
export function clearLiveRun(draft: Draft, { live, closing }: Settlement): void {
  const key = keys.activeRun(live.run.tenant, live.run.runId);
  if (closing === undefined) draft.note(key, undefined);
  else draft.delete(key);
}

/** What a run can be charged without any account going past its limit. */
function roomFor(draft: Draft, settlement: Settlement): number {
  const { live, limits, exceedsHold, now } = settlement;
  if (limits === undefined) return Infinity;
  const division = exceedsHold ? divisionIn(draft, live.run.tenant) : undefined;
  const rooms = live.accounts.map((account) => {
    const moment = momentOf(account, now, division);
    const ledger = currentLedger(draft.get<Ledger>(account.key), moment);
    const within = limitsWithin(account, { limits, division, moment });
    // What the run holds is its own, however the limits are divided.
    const hold = leaseOf(ledger, live.run.runId)?.hold ?? 0;
    if (account.kind === "tenant" && !exceedsHold) return hold;
    if (within === undefined) return hold;
    return Math.max(hold, roomOf(ledger, { runId: live.run.runId, limits: within, moment }));
  });
  if (division !== undefined) assertEnough(settlement, { draft, rooms });
  return Math.min(...rooms);
}

function assertEnough(
  { live, cost = 0, ceiling, within = 0 }: Settlement,
  { draft, rooms: [room, ...others] }: { draft: Draft; rooms: readonly number[] },
): void {
  if (room! >= Math.min(cost, ceiling, within, ...others)) return;
  const lease = leaseOf(draft.get<Ledger>(live.accounts[0]!.key), live.run.runId);
  throw new ShortShardError(lease!.hold);
}

/** One that nobody settled for days counts yesterday: its row is the oldest at hand. */
function usageDay(endedAt: number, now: number): string {
  const [day, yesterday] = [dayOf(endedAt), dayOf(now - DAY_MS)];
  return day < yesterday ? yesterday : day;
}
