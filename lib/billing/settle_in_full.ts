import type { LedgerShards } from "./ledger_shards.ts";
import { ShortShardError } from "./settle_run.ts";
import type { Unsettled } from "./unsettled.ts";

/** Other processes that take back what was fetched are asked again this often. */
const MAX_REBALANCES = 100;

/**
 * Settles by `settle` a run that may cost more than it holds: it is charged from what all shards of its
 * tenant's ledger have left, not only its own. Others may divide the limits again between the moment a
 * shard has enough and the commit that charges it, so that commit decides whether it has.
 */
export async function settleInFull<T>(
  unsettled: Unsettled,
  { shards, settle }: {
    shards: Pick<LedgerShards, "rebalance">;
    settle: (unsettled: Unsettled) => Promise<T>;
  },
): Promise<T> {
  const { live: { accounts, run: { tenant } }, limits, cost = 0, ceiling } = unsettled;
  if (!unsettled.exceedsHold || limits === undefined) return await settle(unsettled);
  let within = Infinity;
  for (let tries = 0; tries < MAX_REBALANCES; tries++) {
    try {
      return await settle({ ...unsettled, within });
    } catch (error) {
      if (!(error instanceof ShortShardError)) throw error;
      const need = { streams: 0, hold: Math.min(cost, ceiling) - error.held, least: 0 };
      const rebalanced = await shards.rebalance(tenant, { key: accounts[0]!.key, limits, need });
      if ("refused" in rebalanced) within = 0;
      else if ("available" in rebalanced) within = error.held + rebalanced.available;
    }
  }
  return await settle(unsettled);
}
