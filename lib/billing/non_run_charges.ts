import type { GroupCommitter } from "../store/tx/group_committer.ts";
import type { Transaction } from "../store/tx/operation.ts";
import { keys } from "../store/keys/keys.ts";
import type { Runtime } from "../platform/runtime.ts";
import type { RunFacts } from "../store/runs/run_record.ts";
import { addUsage, NO_USAGE, usageKeyOf } from "../store/runs/usage_rows.ts";
import { chargeRun, currentLedger, dayOf, isFull, type Ledger, remainingBudget } from "./ledger.ts";
import { LedgerShards } from "./ledger_shards.ts";
import type { Limits } from "./limits.ts";
import { allottedScopeLimits, readDivision, scopeMoment } from "./budget_scope.ts";

/** No call of a vendor takes as long: whoever has set the money aside is dead. */
const ABANDONED_MS = 30 * 60_000;

/** After this many attempts, in which other runs took what the shard had, nothing is set aside. */
const MAX_REBALANCES = 100;

/** Money that is set aside in a tenant's day. */
export interface NonRunHold {
  tenant: string;
  id: string;
  /** The shard of the tenant's ledger that holds it. */
  ledgerKey: string[];
}

/** What a model was used for beside any run, and on whose behalf. */
export interface NonRunCost extends Pick<RunFacts, "agentId" | "source" | "provider" | "model"> {
  inputTokens: number;
  /** Micro-USD. */
  cost: number;
}

/**
 * What a tenant pays for beside its runs, under the same limit of the day: it is set aside before it is
 * spent, by a lease in the day's ledger that takes no stream slot.
 */
export class NonRunCharges {
  readonly #committer: GroupCommitter;
  readonly #runtime: Runtime;
  readonly #limitsOf: (tenant: string) => Promise<Limits>;
  readonly #shards: LedgerShards;

  constructor(
    committer: GroupCommitter,
    parts: {
      runtime: Runtime;
      limitsOf: (tenant: string) => Promise<Limits>;
      shards?: LedgerShards;
    },
  ) {
    this.#committer = committer;
    this.#runtime = parts.runtime;
    this.#limitsOf = parts.limitsOf;
    this.#shards = parts.shards ?? new LedgerShards(committer, parts.runtime);
  }

  /** Sets micro-USD aside; undefined when the day has no room for them, or none for anything. */
  async reserve(tenant: string, amount: number): Promise<NonRunHold | undefined> {
    const limits = await this.#limitsOf(tenant);
    const hold = { tenant, id: this.#runtime.uuid(), ledgerKey: this.#shards.keyOf(tenant) };
    for (let tries = 0; tries < MAX_REBALANCES; tries++) {
      const reserved = await this.#tryReserve(hold, { amount, limits });
      if (reserved !== "short") return reserved ? hold : undefined;
      const need = { streams: 0, hold: amount, minHold: amount };
      const { ledgerKey: key } = hold;
      const rebalanced = await this.#shards.rebalance(tenant, { key, limits, need });
      if ("rejected" in rebalanced) return undefined;
    }
    return undefined;
  }

  /** `short`: the shard of the tenant's ledger needs more of what the other shards have. */
  #tryReserve(
    { tenant, id, ledgerKey: key }: NonRunHold,
    { amount, limits }: { amount: number; limits: Limits },
  ): Promise<boolean | "short"> {
    return this.#committer.run<boolean | "short">({
      keys: [key, keys.ledgerDivision(tenant)],
      decide: (draft) => {
        const division = readDivision(draft, tenant);
        const moment = scopeMoment({ kind: "tenant", key }, this.#runtime.now(), division);
        const ledger = chargeAbandoned(currentLedger(draft.get<Ledger>(key), moment), moment.now);
        const within = allottedScopeLimits({ kind: "tenant", key }, { limits, division, moment });
        const hardLimit = within?.hardLimit ?? 0;
        const room = remainingBudget(ledger, { runId: id, limits: { hardLimit }, moment });
        const isSpent = ledger.spent >= hardLimit;
        if (isSpent || room < amount) {
          return within === undefined || division !== undefined ? "short" : false;
        }
        if (isFull(ledger)) return false;
        const lease = { until: moment.now + ABANDONED_MS, hold: amount, side: true } as const;
        draft.set(key, { ...ledger, runs: { ...ledger.runs, [id]: lease } });
        return true;
      },
    });
  }

  /** Charges what was used in place of what was set aside, and counts it; once, however often it is asked. */
  async settle({ tenant, id, ledgerKey: key }: NonRunHold, used: NonRunCost): Promise<void> {
    const { period } = this.#moment();
    const usageKey = usageKeyOf({ tenant, ...used }, period, this.#shards.process.number);
    await this.#committer.run({
      keys: [key, usageKey],
      decide: (draft) => {
        const ledger = currentLedger(draft.get<Ledger>(key), this.#moment());
        if (!Object.hasOwn(ledger.runs, id)) return;
        draft.set(key, chargeRun(ledger, { runId: id, cost: used.cost }));
        if (used.inputTokens > 0 || used.cost > 0) recordUsage(draft, usageKey, used);
      },
    });
  }

  #moment() {
    const now = this.#runtime.now();
    return { now, period: dayOf(now) };
  }
}

function recordUsage(draft: Transaction, key: string[], used: NonRunCost): void {
  const { inputTokens, cost } = used;
  addUsage(draft, key, { model: used, usage: { ...NO_USAGE, inputTokens, cost } });
}

/** What a dead process has set aside may have been spent: on its own day it is taken as spent. */
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
