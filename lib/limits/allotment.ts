import {
  type Allotment,
  currentLedger,
  dayOf,
  heldBy,
  type Ledger,
  MAX_SKEW_MS,
  type Moment,
  roomOf,
  slotsOf,
  type TenantLimits,
} from "./ledger.ts";

/** A shard that has asked for more within this time, or has running runs, gets a part of what is free. */
const ACTIVE_MS = 10 * 60_000;

/** A shard that needs more than it has. */
export interface AllotmentRequest {
  /** The index of the shard that asks. */
  shard: number;
  limits: TenantLimits;
  /** Beyond what it uses now. */
  need: TenantLimits;
  moment: Moment;
}

/** The limits that hold for one shard; nothing when it has to ask for an allotment first. */
export function allottedLimits(
  { allotment, period }: Ledger,
  { limits, isFirst }: { limits: TenantLimits; isFirst: boolean },
): TenantLimits | undefined {
  // Before it is divided a ledger is its first shard alone.
  if (allotment === undefined) return isFirst ? limits : undefined;
  const { of } = allotment;
  const isCurrent = allotment.period === period && of.streams === limits.streams &&
    of.hardLimit === limits.hardLimit;
  return isCurrent ? allotment : undefined;
}

/**
 * The shards in one period: the one of the moment, or the next one where a process whose clock is a
 * little ahead has begun it.
 */
export function inOnePeriod(
  shards: readonly (Ledger | undefined)[],
  { now, period }: Moment,
): { ledgers: Ledger[]; moment: Moment } {
  const next = dayOf(now + MAX_SKEW_MS);
  const hasBegun = shards.some((ledger) => ledger?.period === next);
  const moment = { now, period: hasBegun ? next : period };
  return { ledgers: shards.map((ledger) => currentLedger(ledger, moment)), moment };
}

/** All shards as one ledger. */
export function mergeShards(ledgers: readonly Ledger[], { period }: Moment): Ledger {
  return {
    v: 1,
    period,
    spent: ledgers.reduce((sum, { spent }) => sum + spent, 0),
    runs: Object.assign({}, ...ledgers.map(({ runs }) => runs)),
  };
}

/**
 * Divides what is free: the shard that asks gets what it needs, as far as there is so much, and the
 * active ones equal parts of the rest. Answers the new ledger of each shard, the same object where
 * nothing changes.
 */
export function allot(ledgers: readonly Ledger[], request: AllotmentRequest): Ledger[] {
  const { limits, moment, shard } = request;
  const whole = mergeShards(ledgers, moment);
  const free = {
    streams: Math.max(0, limits.streams - slotsOf(whole, moment)),
    hardLimit: Math.max(0, roomOf(whole, { limits, moment })),
  };
  const active = ledgers.map((ledger, i) => i === shard || isActive(ledger, moment));
  const give = {
    streams: share(free.streams, request.need.streams, active),
    hardLimit: share(free.hardLimit, request.need.hardLimit, active),
  };
  return ledgers.map((ledger, i) => {
    if (!isMember(ledger, i) && i !== shard) return ledger;
    const { own, other } = { own: i === shard, other: active[i]! };
    const part = (name: keyof TenantLimits) => own ? give[name].own : other ? give[name].other : 0;
    const allotment: Allotment = {
      period: moment.period,
      of: limits,
      streams: slotsOf(ledger, moment) + part("streams"),
      hardLimit: ledger.spent + heldBy(ledger, moment) + part("hardLimit"),
      elsewhere: whole.spent - ledger.spent,
      askedAt: own ? moment.now : ledger.allotment?.askedAt ?? 0,
    };
    return isSame(ledger.allotment, allotment) ? ledger : { ...ledger, allotment };
  });
}

/** The first shard always counts: without an allotment it would have the limits to itself. */
function isMember({ allotment }: Ledger, index: number): boolean {
  return index === 0 || allotment !== undefined;
}

function isActive({ allotment, runs }: Ledger, { now }: Moment): boolean {
  if (allotment !== undefined && allotment.askedAt + ACTIVE_MS > now) return true;
  return Object.values(runs).some(({ until }) => until > now);
}

/** What the shard that asks gets, and each other active one. */
function share(
  free: number,
  need: number,
  active: readonly boolean[],
): { own: number; other: number } {
  const needed = Math.min(free, need);
  const other = Math.floor((free - needed) / active.filter(Boolean).length);
  const others = active.filter(Boolean).length - 1;
  return { own: free - others * other, other };
}

function isSame(a: Allotment | undefined, b: Allotment): boolean {
  return a !== undefined && a.period === b.period && a.streams === b.streams &&
    a.hardLimit === b.hardLimit && a.of.streams === b.of.streams &&
    a.of.hardLimit === b.of.hardLimit && a.askedAt === b.askedAt;
}
