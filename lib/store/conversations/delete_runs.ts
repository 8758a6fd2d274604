import { type ConversationName, keys } from "../keys/keys.ts";
import { runPrefixes } from "../keys/run_keys.ts";
import { unansweredKeysOf } from "../keys/unanswered_keys.ts";
import { SearchIndex } from "../search/search_index.ts";
import { deleteKeys, listKeys } from "../values/chunks.ts";
import { parseRecord } from "../values/record.ts";
import { runRowSchema } from "./conversation_record.ts";
import { deleteRunRow } from "./conversation_usage.ts";

/** The keys of everything stored for a run, except its row in the conversation. */
export async function listRunKeys(
  kv: Deno.Kv,
  { tenant, runId }: { tenant: string; runId: string },
): Promise<Deno.KvKey[]> {
  const found: Deno.KvKey[] = [
    keys.runLogHead(tenant, runId),
    keys.run(tenant, runId),
    keys.feedback(tenant, runId),
    ...unansweredKeysOf(tenant, runId),
  ];
  for (const prefix of runPrefixes(tenant, runId)) found.push(...await listKeys(kv, prefix));
  return found;
}

/** Deletes the runs of a conversation, with their logs and what the search index has of them. */
export async function deleteRuns(
  kv: Deno.Kv,
  { name, now }: { name: ConversationName; now: number },
): Promise<void> {
  const { tenant } = name;
  const rows = await Array.fromAsync(
    kv.list({ prefix: keys.conversationRuns(name) }),
    (entry) => ({ key: entry.key, runId: parseRecord(runRowSchema, entry)!.runId }),
  );
  await new SearchIndex(kv).erase(tenant, rows.map(({ runId }) => runId), now);
  for (const { key, runId } of rows) {
    // The record first: replays need one. The row last, so that a repeated deletion finds the rest.
    await kv.delete(keys.run(tenant, runId));
    await deleteKeys(kv, await listRunKeys(kv, { tenant, runId }));
    await deleteRunRow(kv, { tenant, key, now });
  }
}
