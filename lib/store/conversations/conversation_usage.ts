import { z } from "zod";
import type { Transaction } from "../tx/operation.ts";
import { dayOf } from "../../platform/utc_day.ts";
import { type RunRow, runRowSchema } from "./conversation_record.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord, retryUntilCommitted } from "../values/record.ts";

const DAY_MS = 86_400_000;
/** What a run takes beside its words: its row, its record, and its part of head and indexes. */
const ROW_OVERHEAD_BYTES = 1_024;

const count = z.int().nonnegative();
const amountSchema = z.object({ runs: count, bytes: count });
const dayUsageSchema = z.object({
  v: z.literal(1),
  /** By how many days they are kept, as the plan said then. */
  kept: z.record(z.string(), amountSchema),
});
type DayUsage = z.infer<typeof dayUsageSchema>;

/** How much is kept in a tenant's conversations. */
export type ConversationUsage = z.infer<typeof amountSchema>;

/** Where the settlement of a run that ends at `endedAt` counts it, in the shard that the process writes. */
export function conversationUsageKey(tenant: string, endedAt: number, shard = 0): Deno.KvKey {
  return keys.conversationUsage(tenant, dayOf(endedAt), shard);
}

/** Where a run is counted. */
function runUsageKey(tenant: string, { endedAt, shard }: RunRow): Deno.KvKey {
  return conversationUsageKey(tenant, endedAt, shard);
}

/** Counts a run in the commit that adds it to its conversation; the key must be the operation's. */
export function addRunUsage(draft: Transaction, tenant: string, row: RunRow): void {
  const key = runUsageKey(tenant, row);
  const { value, expireIn } = usageAfter(draft.get<DayUsage>(key), { row, by: 1 });
  draft.set(key, value, { expireIn });
}

/** What is kept now; what has expired by itself is left out. */
export async function readConversationUsage(
  kv: Deno.Kv,
  { tenant, now }: { tenant: string; now: number },
): Promise<ConversationUsage> {
  const sum = { runs: 0, bytes: 0 };
  const prefix = keys.conversationUsages(tenant);
  for await (const entry of kv.list({ prefix })) {
    const ended = Date.parse(String(entry.key[prefix.length]));
    for (const [days, { runs, bytes }] of Object.entries(parseUsage(entry)!.kept)) {
      // A day's runs are there until the last of them has expired.
      if (ended + (Number(days) + 1) * DAY_MS <= now) continue;
      sum.runs += runs;
      sum.bytes += bytes;
    }
  }
  return sum;
}

/** Deletes a run's row and gives back what it took, in one step. */
export async function deleteRunRow(
  kv: Deno.Kv,
  { tenant, key }: { tenant: string; key: Deno.KvKey },
): Promise<void> {
  await retryUntilCommitted(async () => {
    const entry = await kv.get(key);
    const row = parseRecord(runRowSchema, entry);
    if (row === undefined) return true;
    const step = kv.atomic().check(entry).delete(key);
    if (row.counted) await updateUsage(step, kv, { tenant, row, by: -1 });
    return (await step.commit()).ok ? true : undefined;
  }, { what: "run of a conversation" });
}

/**
 * Counts the runs that were stored before runs were counted, each in one step with a mark on its row, so
 * that no crash and no other process counts one twice; nothing once that is done.
 */
export async function backfillRunUsage(
  kv: Deno.Kv,
  { tenant, now }: { tenant: string; now: number },
): Promise<void> {
  const done = keys.conversationsCounted(tenant);
  if ((await kv.get(done)).versionstamp !== null) return;
  for await (const { key } of kv.list({ prefix: keys.tenantConversationRuns(tenant) })) {
    await retryUntilCommitted(async () => {
      const entry = await kv.get(key);
      const row = parseRecord(runRowSchema, entry);
      if (row === undefined || row.counted || row.exp <= now) return true;
      const expireIn = row.exp - now;
      const step = kv.atomic().check(entry).set(key, { ...row, counted: true }, { expireIn });
      await updateUsage(step, kv, { tenant, row, by: 1 });
      return (await step.commit()).ok ? true : undefined;
    }, { what: "run of a conversation" });
  }
  await kv.set(done, { v: 1 });
}

async function updateUsage(
  step: Deno.AtomicOperation,
  kv: Deno.Kv,
  { tenant, row, by }: { tenant: string; row: RunRow; by: 1 | -1 },
): Promise<void> {
  const entry = await kv.get(runUsageKey(tenant, row));
  const { value, expireIn } = usageAfter(parseUsage(entry), { row, by });
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
  // Kept for two days longer than anything it counts.
  const longest = Math.max(...Object.keys(kept).map(Number));
  return { value: { v: 1, kept }, expireIn: (longest + 2) * DAY_MS };
}

function parseUsage(entry: Deno.KvEntryMaybe<unknown>): DayUsage | undefined {
  return parseRecord(dayUsageSchema, entry);
}
