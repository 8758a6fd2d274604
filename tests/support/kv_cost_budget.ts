import type { KvCosts } from "./metered_kv.ts";

/** Upper bound of store costs, in the units that Deno Deploy bills. */
export type KvCostBudget = Pick<KvCosts, "commits" | "writeUnits" | "readUnits">;

/**
 * Upper bounds of one chat of a warm process, from its admission to the end of its settlement, whether
 * a session or an API key asks. `tests/kv_costs_test.ts` holds the service to them, and
 * `docs/operations.md` states them.
 */
export const CHAT_BUDGETS: Readonly<Record<"at once" | "10 s", KvCostBudget>> = {
  "at once": { commits: 2, writeUnits: 14, readUnits: 0 },
  "10 s": { commits: 14, writeUnits: 30, readUnits: 10 },
};

/** Lists that a process at rest makes in a minute, at most; it reads and writes nothing else. */
export const IDLE_LISTS_PER_MINUTE = 2;

/** Lists of the cron that Deno Deploy runs once a minute, at most. */
export const LISTS_OF_CRON = 3;

/** Prices of Deno Deploy beyond what a plan includes, in USD, as published in May 2026. */
export const DEPLOY_PRICES = { millionWriteUnits: 2.5, millionReadUnits: 1, gibibyteMonth: 0.75 };

/** Write units a month in the platform's free plan, as published in September 2026. */
export const FREE_WRITE_UNITS = 500_000;

/** Cost in USD. */
export function costOf({ writeUnits, readUnits }: Omit<KvCostBudget, "commits">): number {
  const { millionWriteUnits, millionReadUnits } = DEPLOY_PRICES;
  return (writeUnits * millionWriteUnits + readUnits * millionReadUnits) / 1e6;
}
