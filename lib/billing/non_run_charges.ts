import type { Runtime } from "../platform/runtime.ts";
import { dayOf } from "../platform/utc_day.ts";
import { keys } from "../store/keys/keys.ts";
import type { RunFacts } from "../store/runs/run_record.ts";
import { addUsage, NO_USAGE, usageKeyOf } from "../store/runs/usage_rows.ts";
import type { GroupCommitter } from "../store/tx/group_committer.ts";
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

/** What a model was used for outside of runs, and on whose behalf. */
export interface NonRunCost extends Pick<RunFacts, "agentId" | "source" | "provider" | "model"> {
  inputTokens: number;
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

  constructor(committer: GroupCommitter, deps: {
    runtime: Runtime;
    limitsOf: (tenant: string) => Promise<Limits>;
    shards?: LedgerShards;
  }) {
    this.#committer = committer;
    this.#runtime = deps.runtime;
    this.#limitsOf = deps.limitsOf;
    this.#shards = deps.shards ?? new LedgerShards(committer, deps.runtime);
  }

  /** Reserves micro-USD; `undefined` if the day's budget does not allow it, or is used up. */
  async reserve(tenant: string, amount: number): Promise<NonRunHold | undefined> {
    const limits = await this.#limitsOf(tenant);
    const hold = { tenant, id: this.#runtime.uuid(), ledgerKey: this.#shards.keyOf(tenant) };
    for (let attempt = 0; attempt < MAX_REBALANCES; attempt++) {
      const reserved = await this.#tryReserve(hold, { amount, limits });
      if (reserved !== "short") return reserved ? hold : undefined;
      const need = { streams: 0, hold: amount, minHold: amount };
      const { ledgerKey: key } = hold;
      const rebalanced = await this.#shards.rebalance(tenant, { key, limits, need });
      if ("rejected" in rebalanced) return undefined;
    }
    return undefined;
  }

  /** `short` if the shard of the tenant's ledger needs budget from the other shards. */
  #tryReserve(
    { tenant, id, ledgerKey: key }: NonRunHold,
    { amount, limits }: { amount: number; limits: Limits },
  ): Promise<boolean | "short"> {
    const scope = { kind: "tenant", key } as const;
    return this.#committer.run<boolean | "short">({
      keys: [key, keys.ledgerDivision(tenant)],
      decide: (tx) => {
        const division = readDivision(tx, tenant);
        const moment = scopeMoment(scope, this.#runtime.now(), division);
        const ledger = chargeAbandoned(currentLedger(tx.get<Ledger>(key), moment), moment.now);
        const allotted = allottedScopeLimits(scope, { limits, division, moment });
        const hardLimit = allotted?.hardLimit ?? 0;
        const budget = remainingBudget(ledger, { runId: id, limits: { hardLimit }, moment });
        if (ledger.spent >= hardLimit || budget < amount) {
          return allotted === undefined || division !== undefined ? "short" : false;
        }
        if (isFull(ledger)) return false;
        const lease = { until: moment.now + ABANDONED_MS, hold: amount, side: true } as const;
        tx.set(key, { ...ledger, runs: { ...ledger.runs, [id]: lease } });
        return true;
      },
    });
  }

  /** Replaces a hold by the actual cost and adds it to usage, once. */
  async settle({ tenant, id, ledgerKey: key }: NonRunHold, used: NonRunCost): Promise<void> {
    const shard = this.#shards.process.number;
    const usageKey = usageKeyOf({ tenant, ...used }, this.#moment().period, shard);
    await this.#committer.run({
      keys: [key, usageKey],
      decide: (tx) => {
        const ledger = currentLedger(tx.get<Ledger>(key), this.#moment());
        if (!Object.hasOwn(ledger.runs, id)) return;
        const { inputTokens, cost } = used;
        tx.set(key, chargeRun(ledger, { runId: id, cost }));
        if (inputTokens <= 0 && cost <= 0) return;
        addUsage(tx, usageKey, { model: used, usage: { ...NO_USAGE, inputTokens, cost } });
      },
    });
  }

  #moment() {
    const now = this.#runtime.now();
    return { now, period: dayOf(now) };
  }
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
