import { keys } from "@/lib/store/keys/keys.ts";
import type { Ledger } from "@/lib/billing/ledger.ts";
import type { ActiveRun } from "@/lib/store/runs/active_run.ts";
import type { RunRecord } from "@/lib/store/runs/run_record.ts";
import {
  NO_USAGE,
  sumUsage,
  type Usage,
  type UsageRow,
  usageShares,
} from "@/lib/store/runs/usage_rows.ts";

async function valuesOf<T>(kv: Deno.Kv, prefix: Deno.KvKey): Promise<T[]> {
  return (await Array.fromAsync(kv.list<T>({ prefix }))).map(({ value }) => value);
}

/** Everything that is stored about runs. */
export async function readStoredUsage(kv: Deno.Kv) {
  const records = await valuesOf<RunRecord>(kv, ["runs"]);
  const rows = await valuesOf<UsageRow>(kv, ["usage_rows"]);
  const used = rows.flatMap(({ models }) => Object.values(models));
  const [ledger] = await valuesOf<Ledger>(kv, ["tenant_ledgers"]);
  return {
    records: new Map(records.map((record) => [record.runId, record])),
    /** Total of the usage rows. */
    used: used.reduce(sumUsage, NO_USAGE),
    /** Total of the run records. */
    settled: records.flatMap(usageShares).reduce<Usage>(sumUsage, NO_USAGE),
    live: (await valuesOf<ActiveRun>(kv, keys.activeRuns())).map(({ run }) => run.runId).sort(),
    leases: Object.keys(ledger?.runs ?? {}).sort(),
    spent: ledger?.spent,
  };
}
