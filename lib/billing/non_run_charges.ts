import type { Runtime } from "../platform/runtime.ts";
import { dayOf } from "../platform/utc_day.ts";
import { keys } from "../store/keys/keys.ts";
import type { RunFacts } from "../store/runs/run_record.ts";
import { sumTokenParts, type TokenParts } from "../store/runs/token_parts.ts";
import { addUsage, NO_USAGE, usageKeyOf } from "../store/runs/usage_rows.ts";
import type { GroupCommitter } from "../store/tx/group_committer.ts";
import type { Transaction } from "../store/tx/operation.ts";
import type { BillingObserver } from "./billing_observer.ts";
import { allottedScopeLimits, readDivision, scopeMoment } from "./budget_scope.ts";
import { chargeRun, currentLedger, isFull, type Ledger, remainingBudget } from "./ledger.ts";
import { LedgerShards, MAX_REBALANCES } from "./ledger_shards.ts";
import type { Limits } from "./limits.ts";

/** No provider call takes longer, so the process that reserved the money is dead. */
const ABANDONED_MS = 30 * 60_000;

/** Money reserved in a tenant's day. */
export interface NonRunHold {
  tenant: string;
  id: string;
  /** The shard of the tenant's ledger that holds it. */
  ledgerKey: string[];
}

/** What is written in the same commit. */
export interface AlsoWrite {
  keys: readonly Deno.KvKey[];
  write(tx: Transaction): void;
}

/** What a model was used for outside of runs, and on whose behalf. */
export interface NonRunCost
  extends Pick<RunFacts, "agentId" | "source" | "provider" | "model">, TokenParts {
  inputTokens: number;
  outputTokens?: number;
  /** Micro-USD. */
  cost: number;
}

/**
 * Charges a tenant for what is no run, such as embeddings, under the same daily limit: the money is
 * reserved before it is spent, by a lease in the day's ledger that takes no stream slot.
 */
export class NonRunCharges {
  readonly #committer: GroupCommitter;
  readonly #runtime: Runtime;
  readonly #limitsOf: (tenant: string) => Promise<Limits>;
  readonly #shards: LedgerShards;
  readonly #observer: BillingObserver | undefined;

  constructor(committer: GroupCommitter, deps: {
    observer?: BillingObserver | undefined;
    runtime: Runtime;
    limitsOf: (tenant: string) => Promise<Limits>;
    shards?: LedgerShards;
  }) {
    this.#observer = deps.observer;
    this.#committer = committer;
    this.#runtime = deps.runtime;
    this.#limitsOf = deps.limitsOf;
    this.#shards = deps.shards ?? new LedgerShards(committer, deps.runtime);
  }

  /** Reserves micro-USD; `undefined` if the day's budget does not allow it, or is used up. */
  async reserve(
    tenant: string,
    amount: number,
    also?: (hold: NonRunHold) => AlsoWrite,
  ): Promise<NonRunHold | undefined> {
    const limits = await this.#limitsOf(tenant);
    const hold = { tenant, id: this.#runtime.uuid(), ledgerKey: this.#shards.keyOf(tenant) };
    for (let attempt = 0; attempt < MAX_REBALANCES; attempt++) {
      const reserved = await this.#tryReserve(hold, { amount, limits, also: also?.(hold) });
      if (reserved !== "short") return reserved ? hold : undefined;
      const need = { streams: 0, hold: amount, minHold: amount };
      const scope = { key: hold.ledgerKey };
      const rebalanced = await this.#shards.rebalance(tenant, { scope, limits, need });
      if ("rejected" in rebalanced) return undefined;
    }
    return undefined;
  }

  /** `short` if the shard of the tenant's ledger needs budget from the other shards. */
  async #tryReserve(
    { tenant, id, ledgerKey: key }: NonRunHold,
    { amount, limits, also }: { amount: number; limits: Limits; also: AlsoWrite | undefined },
  ): Promise<boolean | "short"> {
    const scope = { kind: "tenant", key } as const;
    let abandoned = 0;
    const reserved = await this.#committer.run<boolean | "short">({
      keys: [key, keys.ledgerDivision(tenant), ...also?.keys ?? []],
      decide: (tx) => {
        const division = readDivision(tx, tenant);
        const moment = scopeMoment(scope, this.#runtime.now(), division);
        const current = currentLedger(tx.get<Ledger>(key), moment);
        const ledger = chargeAbandoned(current, moment.now);
        abandoned = ledger.spent - current.spent;
        const allotted = allottedScopeLimits(scope, { limits, division, moment });
        const hardLimit = allotted?.hardLimit ?? 0;
        const budget = remainingBudget(ledger, { runId: id, limits: { hardLimit }, moment });
        if (ledger.spent >= hardLimit || budget < amount) {
          return allotted === undefined || division !== undefined ? "short" : false;
        }
        if (isFull(ledger)) return false;
        const lease = { until: moment.now + ABANDONED_MS, hold: amount, side: true } as const;
        tx.set(key, { ...ledger, runs: { ...ledger.runs, [id]: lease } });
        also?.write(tx);
        return true;
      },
    });
    if (reserved === true && abandoned > 0) this.#observer?.onAbandoned(abandoned);
    return reserved;
  }

  /** Replaces a hold by the actual cost and adds it to usage, once. */
  async settle(hold: NonRunHold, used: NonRunCost): Promise<void> {
    await this.end(hold, { used: [used] });
  }

  /**
   * Charges what was used of a hold, adds it to usage, and keeps the rest reserved for another half an hour.
   * A commit of unknown outcome is decided again: `isDone` recognizes what it has written. False if the hold
   * has ended; then nothing is charged or written.
   */
  async charge(
    hold: NonRunHold,
    { used, also, isDone }: {
      used: readonly NonRunCost[];
      also: AlsoWrite;
      isDone: (tx: Transaction) => boolean;
    },
  ): Promise<boolean> {
    const until = this.#runtime.now() + ABANDONED_MS;
    return await this.#use(hold, {
      ...{ used, also, isDone },
      change: (ledger, cost) => {
        const lease = ledger.runs[hold.id]!;
        const left = { ...lease, hold: Math.max(0, lease.hold - cost), until };
        return { ...ledger, spent: ledger.spent + cost, runs: { ...ledger.runs, [hold.id]: left } };
      },
    });
  }

  /** Ends a hold, charging what was used of it since the last charge; what is left is free again. */
  async end(
    hold: NonRunHold,
    { used = [], also }: { used?: readonly NonRunCost[]; also?: AlsoWrite } = {},
  ): Promise<boolean> {
    return await this.#use(hold, {
      used,
      also,
      isDone: () => false,
      change: (ledger, cost) => chargeRun(ledger, { runId: hold.id, cost }),
    });
  }

  async #use(
    { tenant, id, ledgerKey: key }: NonRunHold,
    { used, also, isDone, change }: {
      used: readonly NonRunCost[];
      also: AlsoWrite | undefined;
      isDone: (tx: Transaction) => boolean;
      change: (ledger: Ledger, cost: number) => Ledger;
    },
  ): Promise<boolean> {
    const shard = this.#shards.process.number;
    const { period } = this.#moment();
    const rows = used.map((one) => usageKeyOf({ tenant, ...one }, period, shard));
    const cost = used.reduce((sum, one) => sum + one.cost, 0);
    const distinct = new Map(rows.map((row) => [row.join(), row]));
    let wasTried = false;
    const isHeld = await this.#committer.run<boolean>({
      keys: [key, ...distinct.values(), ...also?.keys ?? []],
      decide: (tx) => {
        const ledger = currentLedger(tx.get<Ledger>(key), this.#moment());
        if (!Object.hasOwn(ledger.runs, id)) return false;
        if (isDone(tx)) return true;
        tx.set(key, change(ledger, cost));
        used.forEach((one, n) => addNonRunUsage(tx, rows[n]!, one));
        also?.write(tx);
        return wasTried = true;
      },
    });
    // Nobody else ends a hold that has not lapsed, so one that is gone was ended by an earlier attempt.
    if (used.length > 0 && (isHeld || wasTried)) this.#observer?.onCharged(used);
    return isHeld;
  }

  #moment() {
    const now = this.#runtime.now();
    return { now, period: dayOf(now) };
  }
}

function addNonRunUsage(tx: Transaction, key: string[], used: NonRunCost): void {
  const { provider, model, inputTokens, outputTokens = 0, cost } = used;
  if (inputTokens <= 0 && outputTokens <= 0 && cost <= 0) return;
  const parts = sumTokenParts({}, used);
  const usage = { ...NO_USAGE, inputTokens, outputTokens, cost, ...parts };
  addUsage(tx, key, { model: { provider, model }, usage });
}

/** Charges holds of dead processes, which may have spent them, if they lapsed on the ledger's day. */
function chargeAbandoned(ledger: Ledger, now: number): Ledger {
  const runs = { ...ledger.runs };
  let { spent } = ledger;
  for (const [id, { until, hold, side }] of Object.entries(runs)) {
    if (side === undefined || until > now) continue;
    delete runs[id];
    if (dayOf(until) === ledger.period) spent += hold;
  }
  return { ...ledger, runs, spent };
}
