import { dayOf } from "../platform/utc_day.ts";
import type { ChatIdempotencyRecord } from "../store/idempotency_store.ts";
import { keys } from "../store/keys/keys.ts";
import type { ActiveRun } from "../store/runs/active_run.ts";
import {
  type RunEnd,
  type RunRecord,
  runRecordSchema,
  unstoredRunRetention,
} from "../store/runs/run_record.ts";
import { addToUsage, usageKeyOf } from "../store/runs/usage_rows.ts";
import type { Transaction } from "../store/tx/operation.ts";
import {
  allottedScopeLimits,
  readDivision,
  readScopeLedgers,
  retentionOf,
} from "./budget_scope.ts";
import { countsInPeriod, currentLedger, findLease, type Ledger } from "./ledger.ts";
import type { Limits } from "./limits.ts";
import { endLease, readRunLease, remainingForRun, runHoldKeys } from "./run_lease.ts";
import {
  chargeVisitorRun,
  readVisitorAccount,
  remainingVisitorBudget,
  visitorAccountKeys,
  writeVisitorAccount,
} from "./visitor_account.ts";

const DAY_MS = 86_400_000;

/** A run to be settled. Money in micro-USD. */
export interface Settlement {
  activeRun: ActiveRun;
  end: RunEnd;
  /** The cost by the provider's usage report; `undefined` for an orphaned run. */
  cost: number | undefined;
  /** The maximum charge, whatever a provider reports. */
  ceiling: number;
  /** Unset for an orphaned run, which is never charged more than it held. */
  limits?: Limits | undefined;
  /** Written in the same commit. */
  settleHook?: SettleHook | undefined;
  /** The idempotency key of a run that never produced output, deleted so that a retry starts another. */
  forgetKey?: Deno.KvKey | undefined;
  /** No model has accepted it, so its message does not count against the visitor's. */
  refundsMessage?: boolean;
  /** It costs more than it holds; whether the budget allows that depends on the tenant's division. */
  exceedsHold?: boolean;
  /** Charge at least this if the tenant can pay: if the shard has less, throw `ShortShardError`. */
  minCharge?: number;
  /** The shard of usage that this process writes. */
  shard?: number;
  /** Receives the record of a decision to charge, which is not committed yet and may be made again. */
  onDecided?: (record: RunRecord) => void;
  now: number;
}

/** What else is stored when a run is settled. */
export interface SettleHook {
  /** Keys that `write` uses besides the record of the active run. */
  keys: readonly Deno.KvKey[];
  /** Those of `keys` with a new random id. */
  freshKeys?: readonly Deno.KvKey[];
  estimatedBytes: number;
  /** The settlement may be held back for a moment and share a commit with others. */
  canWait?: boolean;
  /** How long the run's record is stored, if not as usual; milliseconds. */
  retentionMs?: number;
  /** The page of the conversation that the run is added to, as in `ConversationName`. */
  page?: string;
  /** The number that the run gets in that conversation; called before `write`. */
  numberIn?(tx: Transaction): number;
  /** The signed head of the run's frames, to be stored in its record. */
  sealOf?(record: RunRecord): Uint8Array | undefined;
  write(tx: Transaction, charge: Charge): void;
  /** Called after the commit; `late` if the run was settled before and nothing was written. Never throws. */
  afterCommit?(how: { late: boolean }): Promise<void>;
}

/** Combines hooks; they write in order. */
export function combineSettleHooks(hooks: readonly SettleHook[]): SettleHook {
  const retentions = hooks.flatMap(({ retentionMs }) => retentionMs ?? []);
  const inConversation = hooks.find((hook) => hook.page !== undefined);
  const sealing = hooks.find((hook) => hook.sealOf !== undefined);
  return {
    ...inConversation && { page: inConversation.page },
    ...inConversation?.numberIn && { numberIn: inConversation.numberIn },
    ...sealing?.sealOf && { sealOf: sealing.sealOf },
    ...(retentions.length === 0 ? {} : { retentionMs: Math.min(...retentions) }),
    canWait: hooks.some((hook) => hook.canWait),
    keys: hooks.flatMap((hook) => hook.keys),
    freshKeys: hooks.flatMap((hook) => hook.freshKeys ?? []),
    estimatedBytes: hooks.reduce((sum, hook) => sum + hook.estimatedBytes, 0),
    write(tx, charge) {
      for (const hook of hooks) hook.write(tx, charge);
    },
    async afterCommit(how) {
      for (const hook of hooks) await hook.afterCommit?.(how);
    },
  };
}

/** The shard of the tenant's ledger cannot pay what a run costs beyond what it `held`. */
export class ShortShardError extends Error {
  override name = "ShortShardError";
  /** Micro-USD. */
  readonly held: number;

  constructor(held: number) {
    super("the shard of the ledger has too little for the run");
    this.held = held;
  }
}

/** What a run was charged, and the excess that nobody pays. Micro-USD. */
export type Charge = { charged: number; excess: number };

export function settlementKeys(settlement: Settlement): Deno.KvKey[] {
  const { activeRun, now, cost, settleHook, exceedsHold, forgetKey, shard } = settlement;
  const days = [dayOf(now)];
  // An orphaned run may have been alive yesterday, and counts there.
  if (cost === undefined) days.push(dayOf(now - DAY_MS));
  return [
    ...activeRun.accounts.map(({ key }) => key),
    ...runHoldKeys(activeRun.accounts, activeRun.run),
    ...visitorAccountKeys(activeRun.run),
    ...(exceedsHold ? [keys.ledgerDivision(activeRun.run.tenant)] : []),
    ...days.map((day) => usageKeyOf(activeRun.run, day, shard)),
    // Without a hook nothing else is stored of the run, so no other operation writes its record.
    ...(settleHook === undefined
      ? []
      : [keys.activeRun(activeRun.run.tenant, activeRun.run.runId), ...settleHook.keys]),
    ...(forgetKey === undefined ? [] : [forgetKey]),
  ];
}

/**
 * Charges a run to all its scopes, frees its slot and records it, once; `undefined` if it was settled
 * before. A run is charged to the day on which it ends; an orphaned run is charged its whole hold, to the
 * day on which its lease lapsed. Throws `ShortShardError` if its shard has less than `minCharge`.
 */
export function decideSettlement(tx: Transaction, settlement: Settlement): Charge | undefined {
  const { activeRun, end, now } = settlement;
  const { runId, tenant } = activeRun.run;
  const { accounts: scopes } = activeRun;
  const lease = readRunLease(tx, { scopes, run: activeRun.run });
  if (lease === undefined) return undefined;
  const isOrphaned = settlement.cost === undefined;
  const cost = settlement.cost ?? lease.hold;
  const { hold } = lease;
  const chargeable = chargeableAmount(tx, settlement, hold);
  const charged = Math.max(0, Math.min(cost, settlement.ceiling, chargeable));
  for (const { scope, moment, ledger } of readScopeLedgers(tx, scopes, { now })) {
    const { period } = ledger;
    const isDue = !isOrphaned || countsInPeriod(lease, { now, period });
    tx.update<Ledger>(scope.key, (held, isOwn) => {
      const end = { scope, runId, hold, cost: isDue ? charged : 0, isOrphaned };
      return endLease(currentLedger(held, moment), end, isOwn);
    }, retentionOf(scope));
  }
  for (const key of runHoldKeys(scopes, activeRun.run)) tx.delete(key);
  const endedAt = isOrphaned ? Math.min(now, lease.until) : now;
  const excess = cost - charged;
  // Validates what a provider reported: one NaN would remove every limit of the day.
  const { retentionMs, page } = settlement.settleHook ?? {};
  const n = settlement.settleHook?.numberIn?.(tx);
  const place = { ...(page !== undefined && { page }), ...(n !== undefined && { n }) };
  const expireIn = retentionMs ?? unstoredRunRetention(activeRun.run);
  const stored = { ...place, exp: endedAt + expireIn };
  const record = runRecordSchema
    .parse({ v: 1, ...activeRun.run, ...end, endedAt, cost: charged, excess, ...stored });
  addToUsage(tx, usageKeyOf(activeRun.run, usageDay(endedAt, now), settlement.shard), record);
  const seal = settlement.settleHook?.sealOf?.(record);
  tx.blindWrite(keys.run(tenant, runId), { ...record, ...seal && { seal } }, { expireIn });
  chargeVisitor(tx, settlement, record);
  settlement.settleHook?.write(tx, { charged, excess });
  clearActiveRun(tx, settlement);
  deleteIdempotencyRecord(tx, settlement);
  settlement.onDecided?.(record);
  return { charged, excess };
}

function chargeVisitor(tx: Transaction, { activeRun, refundsMessage }: Settlement, end: RunRecord) {
  const { run } = activeRun;
  const account = readVisitorAccount(tx, run);
  if (account === undefined) return;
  const charged = chargeVisitorRun(account, {
    runId: run.runId,
    used: end,
    endedAt: end.endedAt,
    refundedAt: refundsMessage ? run.startedAt : undefined,
  });
  // An account that was deleted since must not come back.
  if (charged !== account) writeVisitorAccount(tx, run, charged);
}

function deleteIdempotencyRecord(tx: Transaction, { forgetKey, activeRun }: Settlement): void {
  if (forgetKey === undefined) return;
  const record = tx.get<ChatIdempotencyRecord>(forgetKey);
  if (record?.runId === activeRun.run.runId) tx.delete(forgetKey);
}

/** Deletes the record of an active run once nothing is left to settle. */
export function clearActiveRun(tx: Transaction, { activeRun, settleHook }: Settlement): void {
  const key = keys.activeRun(activeRun.run.tenant, activeRun.run.runId);
  if (settleHook === undefined) tx.blindWrite(key, undefined);
  else tx.delete(key);
}

/** What a run that holds `held` of its tenant can be charged without any scope exceeding its limit. */
function chargeableAmount(tx: Transaction, settlement: Settlement, held: number): number {
  const { activeRun: { run: { runId, tenant }, accounts }, limits, exceedsHold, now } = settlement;
  if (limits === undefined) return Infinity;
  const division = exceedsHold ? readDivision(tx, tenant) : undefined;
  const ledgers = readScopeLedgers(tx, accounts, { now, division });
  const amounts = ledgers.map(({ scope, moment, ledger }) => {
    // The hold belongs to the run, however the limits are divided.
    const hold = scope.kind === "tenant" ? held : findLease(ledger, runId)?.hold ?? 0;
    if (scope.kind === "tenant" && !exceedsHold) return hold;
    const allotted = allottedScopeLimits(scope, { limits, division, moment });
    if (allotted === undefined) return hold;
    const how = { scope, runId, hold, limits: allotted, moment };
    return Math.max(hold, remainingForRun(ledger, how));
  });
  const visitor = readVisitorAccount(tx, settlement.activeRun.run);
  if (visitor !== undefined) {
    amounts.push(Math.max(held, remainingVisitorBudget(visitor, { runId, now })));
  }
  const [ofTenant, ...others] = amounts;
  const { cost = 0, ceiling, minCharge = 0 } = settlement;
  if (division !== undefined && ofTenant! < Math.min(cost, ceiling, minCharge, ...others)) {
    throw new ShortShardError(held);
  }
  return Math.min(...amounts);
}

/** A run that stayed unsettled for days counts yesterday, the oldest usage row in the commit. */
function usageDay(endedAt: number, now: number): string {
  const [day, yesterday] = [dayOf(endedAt), dayOf(now - DAY_MS)];
  return day < yesterday ? yesterday : day;
}
