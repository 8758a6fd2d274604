import { dayOf } from "../platform/utc_day.ts";
import {
  countSlots,
  currentLedger,
  type Ledger,
  MAX_SKEW_MS,
  type Moment,
  sumHolds,
  type TenantLimits,
} from "./ledger.ts";

/** A shard is active if it has runs, or requested an allotment within this time. */
const ACTIVE_MS = 10 * 60_000;

/** The part of the limits that one shard may use, including what it uses already. */
interface Allotment extends TenantLimits {
  /** What the other shards had spent in the period when it was made, micro-USD. */
  readonly elsewhere: number;
  /** When the shard last requested more, milliseconds. */
  readonly askedAt: number;
}

/**
 * How a tenant's limits are divided among the shards of its ledger. The allotments together never exceed
 * the limits, except by what was used already when the limits were lowered.
 */
export interface Division {
  readonly v: 1;
  /** Increases with each change, to detect decisions made on an older one. */
  readonly revision: number;
  /** The UTC day for which it is valid. */
  readonly period: string;
  /** The limits that are divided; under others it is void. */
  readonly of: TenantLimits;
  /** All allotments are 0, so what the shards use does not grow until the next revision. */
  readonly frozen: boolean;
  /** By shard number. */
  readonly shards: Readonly<Record<string, Allotment>>;
}

/** All shards of a tenant's ledger and their division, read together. */
export interface LedgerSnapshot {
  division: Division | undefined;
  /** By shard number, in the period of the moment. */
  ledgers: readonly Ledger[];
  moment: Moment;
}

/** A request of a shard for `need` beyond what it uses. */
export type AllotmentRequest = { shard: number; limits: TenantLimits; need: TenantLimits };

/** The shard number in a key of `keys.tenantLedger`. */
export function ledgerShardOf(key: readonly Deno.KvKeyPart[]): number {
  return Number(key[2] ?? 0);
}

/** Today, or tomorrow if a process whose clock is slightly ahead has started it. */
export function tenantMoment(now: number, division: Division | undefined): Moment {
  const next = dayOf(now + MAX_SKEW_MS);
  return { now, period: division?.period === next ? next : dayOf(now) };
}

/** The limits of one shard; `undefined` if it must request an allotment first. */
export function allottedLimits(
  division: Division | undefined,
  { limits, shard, period }: { limits: TenantLimits; shard: number; period: string },
): TenantLimits | undefined {
  // An undivided ledger is its first shard.
  if (division === undefined) return shard === 0 ? limits : undefined;
  return isValid(division, { limits, period }) ? division.shards[shard] : undefined;
}

/** What the tenant had spent in other shards when a shard's allotment was made, micro-USD. */
export function spentElsewhere(
  division: Division | undefined,
  { shard, period }: { shard: number; period: string },
): number {
  return division?.period === period ? division.shards[shard]?.elsewhere ?? 0 : 0;
}

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

/** True if no shard could use more when the snapshot was read, so that the rest can be divided. */
export function isFrozen(
  { division, moment: { period } }: LedgerSnapshot,
  limits: TenantLimits,
): boolean {
  return division !== undefined && division.frozen && isValid(division, { limits, period });
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
 * Divides what is free in a frozen snapshot: the requesting shard gets what it needs, as far as available,
 * and the rest is divided equally among the active shards.
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

function isValid({ period, of }: Division, at: { limits: TenantLimits; period: string }): boolean {
  return period === at.period && of.streams === at.limits.streams &&
    of.hardLimit === at.limits.hardLimit;
}

/** The first shard is always a member: without a division it has the whole limits. */
function memberShards({ division, ledgers }: LedgerSnapshot, requesting: number): number[] {
  return [...ledgers.keys()].filter((i) => {
    return i === 0 || i === requesting || division?.shards[i] !== undefined;
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

/** What the requesting shard gets (`own`), and each other active one. */
export function divideFree(free: number, need: number, actives: number) {
  const available = Math.max(0, free);
  const other = Math.floor((available - Math.min(available, need)) / actives);
  return { own: available - (actives - 1) * other, other, none: 0 };
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
    v: 1,
    revision: (division?.revision ?? 0) + 1,
    period,
    of: { streams, hardLimit },
    frozen,
    shards: Object.fromEntries(shards),
  };
}
