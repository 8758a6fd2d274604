import {
  countSlots,
  currentLedger,
  dayOf,
  type Ledger,
  MAX_SKEW_MS,
  type Moment,
  sumHolds,
  type TenantLimits,
} from "./ledger.ts";

/** A shard that has asked for more within this time, or has running runs, gets a part of what is free. */
const ACTIVE_MS = 10 * 60_000;

/** What one shard may use, what it uses already included. */
interface Allotment extends TenantLimits {
  /** What the other shards had spent in the period when it was made, micro-USD. */
  readonly elsewhere: number;
  /** When the shard last asked for more, milliseconds. */
  readonly askedAt: number;
}

/**
 * How the limits of a tenant are divided among the shards of its ledger. The allotments together never
 * exceed the limits, but for what was used already when those were lowered.
 */
export interface Division {
  readonly v: 1;
  /** Changes with each change, so that what was decided on an older one is decided again. */
  readonly revision: number;
  /** The UTC day it is for. On any other it is void. */
  readonly period: string;
  /** The limits that are divided. Under any others it is void. */
  readonly of: TenantLimits;
  /** All allotments are 0: what the shards use can be read, and does not grow until the next revision. */
  readonly frozen: boolean;
  /** By the number of the shard. */
  readonly shards: Readonly<Record<string, Allotment>>;
}

/** All shards of a tenant's ledger, and their division, read together. */
export interface LedgerSnapshot {
  division: Division | undefined;
  /** By the number of the shard, in the period of the moment. */
  ledgers: readonly Ledger[];
  moment: Moment;
}

/** A shard that needs so much beyond what it uses. */
export interface AllotmentRequest {
  shard: number;
  limits: TenantLimits;
  need: TenantLimits;
}

/** The shard of a tenant's ledger that is under a key of `keys.tenantLedger`. */
export function ledgerShardOf(key: readonly Deno.KvKeyPart[]): number {
  return Number(key[2] ?? 0);
}

/** Today, or the next day where a process whose clock is a little ahead has begun it. */
export function tenantMoment(now: number, division: Division | undefined): Moment {
  const next = dayOf(now + MAX_SKEW_MS);
  return { now, period: division?.period === next ? next : dayOf(now) };
}

/** The limits that hold for one shard; nothing when it has to ask for an allotment first. */
export function allottedLimits(
  division: Division | undefined,
  { limits, shard, period }: { limits: TenantLimits; shard: number; period: string },
): TenantLimits | undefined {
  // Before it is divided a ledger is its first shard alone.
  if (division === undefined) return shard === 0 ? limits : undefined;
  return isFor(division, { limits, period }) ? division.shards[shard] : undefined;
}

/** What the tenant had spent outside one shard when its allotment was made, micro-USD. */
export function spentElsewhere(
  division: Division | undefined,
  { shard, period }: { shard: number; period: string },
): number {
  return division?.period === period ? division.shards[shard]?.elsewhere ?? 0 : 0;
}

/** A snapshot of what was read, at a time in milliseconds. */
export function createSnapshot(
  division: Division | undefined,
  shards: readonly (Ledger | undefined)[],
  now: number,
): LedgerSnapshot {
  const next = dayOf(now + MAX_SKEW_MS);
  const hasBegun = shards.some((ledger) => ledger?.period === next);
  const moment = hasBegun ? { now, period: next } : tenantMoment(now, division);
  return { division, ledgers: shards.map((ledger) => currentLedger(ledger, moment)), moment };
}

/** All shards as one ledger. */
export function mergeShards({ ledgers, moment: { period } }: LedgerSnapshot): Ledger {
  return {
    v: 1,
    period,
    spent: ledgers.reduce((sum, { spent }) => sum + spent, 0),
    runs: Object.assign({}, ...ledgers.map(({ runs }) => runs)),
  };
}

/** Whether the snapshot was taken while no shard could use more, so that what is free can be divided. */
export function isFrozen(
  { division, moment: { period } }: LedgerSnapshot,
  limits: TenantLimits,
): boolean {
  return division !== undefined && division.frozen && isFor(division, { limits, period });
}

/** Stops all shards from using more than they do. */
export function freeze(snapshot: LedgerSnapshot, { limits, shard }: AllotmentRequest): Division {
  const shards = memberShards(snapshot, shard).map((i) => {
    const { elsewhere = 0, askedAt = 0 } = snapshot.division?.shards[i] ?? {};
    return [i, { streams: 0, hardLimit: 0, elsewhere, askedAt }] as const;
  });
  return nextDivision(snapshot, { limits, frozen: true, shards });
}

/**
 * Divides what is free in a frozen snapshot: the shard that asks gets what it needs, as far as there is
 * so much, and the active ones equal parts of the rest.
 */
export function divide(
  snapshot: LedgerSnapshot,
  { limits, need, shard }: AllotmentRequest,
): Division {
  const { division, ledgers, moment } = snapshot;
  const used = ledgers.map((ledger) => usedBy(ledger, moment));
  const free = (of: keyof TenantLimits) => used.reduce((left, one) => left - one[of], limits[of]);
  const isActive = (i: number) => i === shard || isActiveShard(snapshot, i);
  const actives = ledgers.filter((_, i) => isActive(i)).length;
  const streams = divideFree(free("streams"), need.streams, actives);
  const hardLimit = divideFree(free("hardLimit"), need.hardLimit, actives);
  const { spent } = mergeShards(snapshot);
  const shards = memberShards(snapshot, shard).map((i) => {
    const part = i === shard ? "own" : isActive(i) ? "other" : "none";
    const allotment: Allotment = {
      streams: used[i]!.streams + streams[part],
      hardLimit: used[i]!.hardLimit + hardLimit[part],
      elsewhere: spent - ledgers[i]!.spent,
      askedAt: i === shard ? moment.now : division?.shards[i]?.askedAt ?? 0,
    };
    return [i, allotment] as const;
  });
  return nextDivision(snapshot, { limits, frozen: false, shards });
}

function isFor(
  { period, of }: Division,
  at: { limits: TenantLimits; period: string },
): boolean {
  return period === at.period && of.streams === at.limits.streams &&
    of.hardLimit === at.limits.hardLimit;
}

/** The first shard always counts: without a division it has the limits to itself. */
function memberShards({ division, ledgers }: LedgerSnapshot, asking: number): number[] {
  return [...ledgers.keys()].filter((i) => {
    return i === 0 || i === asking || division?.shards[i] !== undefined;
  });
}

function usedBy(ledger: Ledger, moment: Moment): TenantLimits {
  return {
    streams: countSlots(ledger, moment),
    hardLimit: ledger.spent + sumHolds(ledger, moment),
  };
}

function isActiveShard({ division, ledgers, moment: { now } }: LedgerSnapshot, i: number): boolean {
  const askedAt = division?.shards[i]?.askedAt ?? -Infinity;
  if (askedAt + ACTIVE_MS > now) return true;
  return Object.values(ledgers[i]!.runs).some(({ until }) => until > now);
}

/** What the shard that asks gets, and each other active one. */
export function divideFree(free: number, need: number, actives: number) {
  const left = Math.max(0, free);
  const other = Math.floor((left - Math.min(left, need)) / actives);
  return { own: left - (actives - 1) * other, other, none: 0 };
}

function nextDivision(
  { division, moment: { period } }: LedgerSnapshot,
  { limits: { streams, hardLimit }, frozen, shards }: {
    limits: TenantLimits;
    frozen: boolean;
    shards: readonly (readonly [number, Allotment])[];
  },
): Division {
  return {
    ...{
      v: 1,
      revision: (division?.revision ?? 0) + 1,
      period,
      of: { streams, hardLimit },
      frozen,
    },
    shards: Object.fromEntries(shards),
  };
}
