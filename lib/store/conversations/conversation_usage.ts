import { z } from "zod";
import { dayOf } from "../../platform/utc_day.ts";
import { keys } from "../keys/keys.ts";
import { SearchIndex } from "../search/search_index.ts";
import type { Transaction } from "../tx/operation.ts";
import { readMany } from "../values/chunks.ts";
import { parseRecord, retryUntilCommitted } from "../values/record.ts";
import { type RunRow, runRowSchema } from "./conversation_record.ts";

const DAY_MS = 86_400_000;
/** What a run takes in addition to its transcript: row, record, and its share of head and indexes. */
const ROW_OVERHEAD_BYTES = 1_024;

const count = z.int().nonnegative();
const amountSchema = z.object({ runs: count, bytes: count });
const dayUsageSchema = z.object({
  v: z.literal(1),
  /** By the plan's retention at the time, in days. */
  kept: z.record(z.string(), amountSchema),
});
type DayUsage = z.infer<typeof dayUsageSchema>;

/** How much a tenant's conversations store. */
export type ConversationUsage = z.infer<typeof amountSchema>;

/** Where a run that ends at `endedAt` is counted, in the shard that the process writes. */
export function conversationUsageKey(tenant: string, endedAt: number, shard = 0): Deno.KvKey {
  return keys.conversationUsage(tenant, dayOf(endedAt), shard);
}

/** Counts a run when it is added to its conversation; the operation must include the usage key. */
export function addRunUsage(tx: Transaction, tenant: string, row: RunRow): void {
  const key = conversationUsageKey(tenant, row.endedAt, row.shard);
  const { value, expireIn } = usageAfter(tx.get<DayUsage>(key), { row, by: 1 });
  tx.set(key, value, { expireIn });
}

/** The current usage, without expired runs. */
export async function readConversationUsage(
  kv: Deno.Kv,
  { tenant, now }: { tenant: string; now: number },
): Promise<ConversationUsage> {
  const sum = { runs: 0, bytes: 0 };
  const prefix = keys.conversationUsages(tenant);
  for await (const entry of kv.list({ prefix })) {
    const ended = Date.parse(String(entry.key[prefix.length]));
    const { kept } = parseRecord(dayUsageSchema, entry)!;
    for (const [days, { runs, bytes }] of Object.entries(kept)) {
      // The runs of a day count until the last of them has expired.
      if (ended + (Number(days) + 1) * DAY_MS <= now) continue;
      sum.runs += runs;
      sum.bytes += bytes;
    }
  }
  return sum;
}

/**
 * Deletes a run's row, its entry among the failed runs, and its usage in one step, which happens only
 * while the search index has nothing of the run. Indexing checks the row, so no word of it can be indexed
 * afterwards.
 */
export function deleteRunRow(
  kv: Deno.Kv,
  { tenant, key, now }: { tenant: string; key: Deno.KvKey; now: number },
): Promise<true> {
  return updateRow(kv, key, async (row, step) => {
    const indexed = [keys.searchRecent(tenant, row.runId), keys.searchPlace(tenant, row.runId)];
    const entries = await readMany(kv, indexed);
    const isIndexed = entries.some(({ versionstamp }) => versionstamp !== null);
    if (isIndexed) await new SearchIndex(kv).erase(tenant, [row.runId], now);
    for (const one of indexed) step.check({ key: one, versionstamp: null });
    step.delete(key).delete(keys.failedRun(tenant, row));
    if (row.counted) await updateUsage(step, kv, { tenant, row, by: -1 });
    return true;
  });
}

/**
 * Counts the runs of early releases, once. Each is counted in one step with its row, so that no crash or
 * other process counts it twice.
 */
export async function backfillRunUsage(
  kv: Deno.Kv,
  { tenant, now }: { tenant: string; now: number },
): Promise<void> {
  const done = keys.conversationsCounted(tenant);
  if ((await kv.get(done)).versionstamp !== null) return;
  for await (const { key } of kv.list({ prefix: keys.tenantConversationRuns(tenant) })) {
    await updateRow(kv, key, async (row, step) => {
      if (row.counted || row.exp <= now) return false;
      step.set(key, { ...row, counted: true }, { expireIn: row.exp - now });
      await updateUsage(step, kv, { tenant, row, by: 1 });
      return true;
    });
  }
  await kv.set(done, { v: 1 });
}

/** Changes a row by check-and-set; `change` returns false to leave it. */
function updateRow(
  kv: Deno.Kv,
  key: Deno.KvKey,
  change: (row: RunRow, step: Deno.AtomicOperation) => Promise<boolean>,
): Promise<true> {
  return retryUntilCommitted(async () => {
    const entry = await kv.get(key);
    const row = parseRecord(runRowSchema, entry);
    if (row === undefined) return true;
    const step = kv.atomic().check(entry);
    if (!await change(row, step)) return true;
    return (await step.commit()).ok || undefined;
  }, { what: "run of a conversation" });
}

async function updateUsage(
  step: Deno.AtomicOperation,
  kv: Deno.Kv,
  { tenant, row, by }: { tenant: string; row: RunRow; by: 1 | -1 },
): Promise<void> {
  const entry = await kv.get(conversationUsageKey(tenant, row.endedAt, row.shard));
  const { value, expireIn } = usageAfter(parseRecord(dayUsageSchema, entry), { row, by });
  step.check(entry).set(entry.key, value, { expireIn });
}

function usageAfter(
  before: DayUsage | undefined,
  { row, by }: { row: RunRow; by: 1 | -1 },
): { value: DayUsage; expireIn: number } {
  const days = String(Math.round((row.exp - row.endedAt) / DAY_MS));
  const { runs, bytes } = before?.kept[days] ?? { runs: 0, bytes: 0 };
  const amount = {
    runs: Math.max(0, runs + by),
    bytes: Math.max(0, bytes + by * (row.bytes + ROW_OVERHEAD_BYTES)),
  };
  const kept = { ...before?.kept, [days]: amount };
  // Stored for two days longer than anything it counts.
  const longest = Math.max(...Object.keys(kept).map(Number));
  return { value: { v: 1, kept }, expireIn: (longest + 2) * DAY_MS };
}
