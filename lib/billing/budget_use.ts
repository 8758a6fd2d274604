import type { Runtime } from "../platform/runtime.ts";
import { keys } from "../store/keys/keys.ts";
import type { TenantStore } from "../store/tenants/tenant_store.ts";
import { createSnapshot, ledgerShardOf, mergeShards } from "./ledger_division.ts";
import type { Ledger } from "./ledger.ts";
import { type Limits, withOverrides } from "./limits.ts";

/** Ledgers read at most: one per tenant that has ever chatted, and up to eight for a busy one. */
const MAX_LEDGERS = 10_000;

/** What a tenant has spent today, micro-USD. */
export interface BudgetUse {
  tenant: string;
  spent: number;
  hardLimit: number;
}

/** The share of its daily limit that a tenant has spent; a limit of 0 is used up. */
export function usedShare({ spent, hardLimit }: BudgetUse): number {
  return hardLimit <= 0 ? 1 : spent / hardLimit;
}

/** The tenants that have spent something today. */
export async function readBudgetUse(
  kv: Deno.Kv,
  { tenants, limits, runtime }: {
    tenants: Pick<TenantStore, "plan">;
    limits: Limits;
    runtime: Pick<Runtime, "now">;
  },
): Promise<BudgetUse[]> {
  const shards = new Map<string, Ledger[]>();
  const all = kv.list<Ledger>({ prefix: keys.tenantLedgers() }, { limit: MAX_LEDGERS });
  for await (const { key, value } of all) {
    const tenant = String(key[1]);
    const known = shards.get(tenant) ?? [];
    known[ledgerShardOf(key)] = value;
    shards.set(tenant, known);
  }
  const now = runtime.now();
  const used = await Promise.all([...shards].map(async ([tenant, ledgers]) => {
    const { spent } = mergeShards(createSnapshot(undefined, Array.from(ledgers), now));
    if (spent === 0) return [];
    const { hardDailyCost: hardLimit } = withOverrides(limits, (await tenants.plan(tenant)).limits);
    return [{ tenant, spent, hardLimit }];
  }));
  return used.flat();
}
