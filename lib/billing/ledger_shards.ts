import type { GroupCommitter } from "../store/tx/group_committer.ts";
import { StoreUnavailableError } from "../store/tx/operation.ts";
import { keys } from "../store/keys/keys.ts";
import type { Runtime } from "../platform/runtime.ts";
import {
  type AllotmentRequest,
  allottedLimits,
  createSnapshot,
  divide,
  type Division,
  freeze,
  isFrozen,
  ledgerShardOf,
  type LedgerSnapshot,
  mergeShards,
} from "./ledger_division.ts";
import {
  costRejection,
  countSlots,
  type Ledger,
  type LedgerRejection,
  ledgerRejection,
  remainingBudget,
  type TenantLimits,
} from "./ledger.ts";
import type { Limits } from "./limits.ts";
import { ContendedKeys } from "./contended_keys.ts";
import { type ProcessShard, SHARDS } from "./process_shard.ts";

/** Another process's division is left to be used for so long at least, before it is changed; milliseconds. */
const MIN_DIVISION_AGE_MS = { least: 20, spread: 60 };
/** A run that has not begun is refused after that long: its caller may try again. */
export const MAX_WAIT_MS = 4_000;
/** Other processes that divide the same ledger are made way for this often. */
const MAX_ATTEMPTS = 50;

/** What a run needs beyond what its shard has; money in micro-USD. */
export interface ShardNeed {
  streams: number;
  hold: number;
  /** It can do with so little. */
  minHold: number;
}

/** What came of asking for more. */
export type RebalanceResult =
  /** So much of the hold may be set aside now; micro-USD. */
  | { available: number }
  /** The tenant as a whole has reached its limit. */
  | { rejected: LedgerRejection }
  /** The limits have been divided for another run of this process: there may be enough now. */
  | { changed: true };

/** Who asks for more, and under which limits. */
interface RebalanceRequest {
  key: readonly string[];
  limits: Pick<Limits, "streams" | "hardDailyCost">;
  need: ShardNeed;
}

/** One division of a tenant's limits, and the runs of this process that wait for it. */
interface PendingRebalance {
  request: RebalanceRequest;
  /** What it came to; nothing where it failed. */
  done: Promise<RebalanceResult | undefined>;
  /** What the others that wait need as well. */
  others: { streams: number; hold: number };
  /** How often the shards have been read for it. */
  reads: number;
}

/** The keys of all shards of a tenant's ledger. */
export function ledgerShardKeys(tenant: string): string[][] {
  return Array.from({ length: SHARDS }, (_, shard) => keys.tenantLedger(tenant, shard));
}

/**
 * Divides the ledger of a tenant that several processes are busy with: each has a shard under a key of
 * its own, with an allotment of the tenant's limits that it decides on without the others. One that has
 * too little has the free rest of all shards divided again, so that the limits hold exactly and are
 * reached to the last unit, whether the other processes are alive or not. A ledger that is not contended
 * stays one record.
 *
 * Each decision checks the division that it relies on, and a division is changed in two steps: frozen,
 * after which no shard uses more than it does, and then divided by what has been read since. So a change
 * never waits for a moment in which the other processes write nothing.
 */
export class LedgerShards {
  /** What this process writes a shard of; other records than ledgers are divided by it as well. */
  readonly contended: ContendedKeys;
  readonly #committer: GroupCommitter;
  readonly #runtime: Runtime;
  readonly #pending = new Map<string, PendingRebalance>();

  constructor(committer: GroupCommitter, runtime: Runtime) {
    this.#committer = committer;
    this.#runtime = runtime;
    this.contended = new ContendedKeys(committer, runtime);
  }

  /** The shard that this process writes. */
  get process(): ProcessShard {
    return this.contended.process;
  }

  /** Where this process decides on the tenant's limits. */
  keyOf(tenant: string): string[] {
    return keys.tenantLedger(tenant, this.contended.shardOf(keys.tenantLedger(tenant)));
  }

  /** Gets the shard under `key` what it needs from what is free in all of them. */
  async rebalance(tenant: string, ask: RebalanceRequest): Promise<RebalanceResult> {
    const known = this.#pending.get(tenant);
    if (known !== undefined) return await this.#join(known, ask);
    const { promise, resolve } = Promise.withResolvers<RebalanceResult | undefined>();
    const waiting = { request: ask, done: promise, others: { streams: 0, hold: 0 }, reads: 0 };
    this.#pending.set(tenant, waiting);
    let result: RebalanceResult | undefined;
    try {
      return result = await this.#rebalance(tenant, waiting);
    } finally {
      this.#pending.delete(tenant);
      resolve(result);
    }
  }

  /** Waits with others; a refusal that is decided on what was read after this was asked holds for it too. */
  async #join(
    waiting: PendingRebalance,
    { limits, need }: RebalanceRequest,
  ): Promise<RebalanceResult> {
    waiting.others.streams += need.streams;
    waiting.others.hold += need.hold;
    const { reads, request } = waiting;
    const result = await waiting.done;
    if (result === undefined || !("rejected" in result)) return { changed: true };
    const isSame = request.limits.streams === limits.streams &&
      request.limits.hardDailyCost === limits.hardDailyCost;
    const isHere = waiting.reads > reads &&
      appliesTo(result.rejected, { need, asked: request.need });
    return isSame && isHere ? result : { changed: true };
  }

  async #rebalance(tenant: string, waiting: PendingRebalance): Promise<RebalanceResult> {
    const { request: { key, limits: { streams, hardDailyCost: hardLimit }, need }, others } =
      waiting;
    const limits = { streams, hardLimit };
    const giveUpAt = this.#runtime.now() + MAX_WAIT_MS;
    let stood = 0;
    // All that one commit has found short join before the shards are read.
    await Promise.resolve();
    for (let tries = 0; tries < MAX_ATTEMPTS; tries++) {
      // Slots come and go faster than this process gets hold of one.
      const isLate = need.streams > 0 && this.#runtime.now() >= giveUpAt;
      if (isLate) return { rejected: { rejected: "streams" } };
      waiting.reads++;
      const snapshot = await this.#read(tenant);
      const { division, moment } = snapshot;
      const whole = mergeShards(snapshot);
      const refused = tenantRejection(whole, { limits, need, snapshot });
      if (refused !== undefined) return { rejected: refused };
      const room = remainingBudget(whole, { limits, moment });
      const available = Math.min(need.hold, room);
      const own = { streams: need.streams, hardLimit: available };
      const request = { shard: ledgerShardOf(key), limits };
      if (hasEnough(snapshot, { ...request, need: own })) return { available };
      const all = { streams: need.streams + others.streams, hardLimit: available + others.hold };
      // With something left the shard does not have to ask for each run of price 0.
      const asked = { ...request, need: { ...all, hardLimit: Math.max(1, all.hardLimit) } };
      if (isFrozen(snapshot, limits)) {
        if (await this.#write(tenant, divide(snapshot, asked))) return { available };
      } else if (division === undefined || division.revision === stood) {
        await this.#write(tenant, freeze(snapshot, asked));
      } else {
        stood = division.revision;
        await this.#runtime.sleep(
          MIN_DIVISION_AGE_MS.least + this.#random() * MIN_DIVISION_AGE_MS.spread,
        );
      }
    }
    throw new StoreUnavailableError("other processes keep dividing the same limits");
  }

  /** From 0 to 1. */
  #random(): number {
    return this.#runtime.randomBytes(1)[0]! / 256;
  }

  async #read(tenant: string): Promise<LedgerSnapshot> {
    const wanted = [keys.ledgerDivision(tenant), ...ledgerShardKeys(tenant)];
    const [division, ...shards] = await this.#committer.readSnapshot(wanted);
    return createSnapshot(
      division as Division | undefined,
      shards as (Ledger | undefined)[],
      this.#runtime.now(),
    );
  }

  /** Writes the next revision, unless another process has written one since the last was read. */
  #write(tenant: string, division: Division): Promise<boolean> {
    const key = keys.ledgerDivision(tenant);
    return this.#committer.run({
      keys: [key],
      decide: (draft) => {
        const { revision = 0 } = draft.get<Division>(key) ?? {};
        if (revision !== division.revision - 1) return false;
        draft.set(key, division);
        return true;
      },
    });
  }
}

/** Whether what was refused to one run is refused to another for the same reason. */
function appliesTo(
  refusal: LedgerRejection,
  { need, asked }: { need: ShardNeed; asked: ShardNeed },
): boolean {
  if (refusal.rejected === "streams") return need.streams > 0;
  return need.minHold === asked.minHold || (refusal.isSpent && need.minHold > asked.minHold);
}

function tenantRejection(
  whole: Ledger,
  { limits, need, snapshot: { moment } }: {
    limits: TenantLimits;
    need: ShardNeed;
    snapshot: LedgerSnapshot;
  },
): LedgerRejection | undefined {
  const asked = { least: need.minHold, limits, moment };
  // What a run that goes on already needs is money alone, however many others there are.
  return need.streams === 0 ? costRejection(whole, asked) : ledgerRejection(whole, asked);
}

/** Whether another process has divided meanwhile, and the shard has what it needs. */
function hasEnough(
  { division, ledgers, moment }: LedgerSnapshot,
  { shard, limits, need }: AllotmentRequest,
): boolean {
  const allotted = allottedLimits(division, { limits, shard, period: moment.period });
  const ledger = ledgers[shard]!;
  return allotted !== undefined &&
    countSlots(ledger, moment) + need.streams <= allotted.streams &&
    remainingBudget(ledger, { limits: allotted, moment }) >= need.hardLimit;
}
