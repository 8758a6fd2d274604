import { type ConversationName, keys } from "../keys/keys.ts";
import { isFailed } from "../runs/run_record.ts";
import type { Transaction } from "../tx/operation.ts";
import { readMany } from "../values/chunks.ts";
import { parseRecord } from "../values/record.ts";
import { finishesMatching } from "./conversation_index.ts";
import {
  type Conversation,
  conversationHeadSchema,
  isReadable,
  type RunRow,
  runRowSchema,
} from "./conversation_record.ts";
import { isRunRated } from "./rated_runs.ts";
import type { ConversationSearch } from "./conversation_search.ts";

/** The limit of work for one search, in index entries; most of them match. */
const MAX_ENTRIES = 1_000;
const BATCH = 50;

type IndexValue = [id: string, agentId: string, page: string, n: number];

/** A search continues before this entry. */
export type FailedRunCursor = [at: number, runId: string];

export interface FailedRun {
  name: ConversationName;
  conversation: Conversation;
  row: RunRow;
}

export interface FailedRunPage {
  data: FailedRun[];
  /** Absent at the end of the index. */
  next?: FailedRunCursor;
  /** True if the search reached its limit of work; there may be more matches. */
  cutShort: boolean;
}

/** Writes the index entry of a run that failed: usage counts runs, and a conversation may have several. */
export function recordFailedRun(
  tx: Pick<Transaction, "blindWrite">,
  { name, row, n, expireIn }: {
    name: ConversationName;
    row: Pick<RunRow, "runId" | "endedAt" | "finishReason">;
    n: number;
    expireIn: number;
  },
): void {
  if (!isFailed(row.finishReason)) return;
  const value: IndexValue = [name.id, name.agentId, name.page, n];
  tx.blindWrite(keys.failedRun(name.tenant, row), value, { expireIn });
}

/** Each failed run on its own, the latest first: exactly the runs that usage counts as errors. */
export async function searchFailedRuns(
  kv: Deno.Kv,
  { tenant, search, limit, after, now }: {
    tenant: string;
    search: ConversationSearch;
    limit: number;
    after?: FailedRunCursor | undefined;
    now: number;
  },
): Promise<FailedRunPage> {
  const prefix = keys.failedRuns(tenant);
  const start = [...prefix, search.from ?? 0];
  const end = [...prefix, ...(after ?? [search.to ?? Number.MAX_SAFE_INTEGER])];
  const entries = kv.list<IndexValue>({ start, end }, { reverse: true });
  const data: FailedRun[] = [];
  let last: Deno.KvKey | undefined;
  let work = 0;
  let next = await entries.next();
  while (!next.done && data.length < limit && work < MAX_ENTRIES) {
    const batch: Deno.KvEntry<IndexValue>[] = [];
    const wanted = Math.min(BATCH, limit - data.length);
    for (; !next.done && batch.length < wanted && work < MAX_ENTRIES; next = await entries.next()) {
      last = next.value.key;
      work++;
      const [, agentId] = next.value.value;
      if (search.agentId === undefined || search.agentId === agentId) batch.push(next.value);
    }
    const runs = await readRuns(kv, batch.map(({ value }) => value), tenant);
    data.push(...runs.filter((run) => matches(run, { search, now })));
  }
  if (next.done || last === undefined) return { data, cutShort: false };
  const cursor = last.slice(prefix.length) as FailedRunCursor;
  return { data, next: cursor, cutShort: data.length < limit };
}

async function readRuns(
  kv: Deno.Kv,
  values: readonly IndexValue[],
  tenant: string,
): Promise<FailedRun[]> {
  const names = values.map(([id, agentId, page]) => ({ tenant, id, agentId, page }));
  const [heads, rows] = await Promise.all([
    readMany(kv, names.map((name) => keys.conversation(name))),
    readMany(kv, names.map((name, i) => keys.conversationRun(name, values[i]![3]))),
  ]);
  return names.flatMap((name, i) => {
    const conversation = parseRecord(conversationHeadSchema, heads[i]!);
    const row = parseRecord(runRowSchema, rows[i]!);
    if (conversation === undefined || !("id" in conversation) || row === undefined) return [];
    return [{ name, conversation, row }];
  });
}

function matches(
  { conversation, row }: FailedRun,
  { search: { finish, minCost, source, rating }, now }: { search: ConversationSearch; now: number },
): boolean {
  if (!isReadable(conversation, now) || row.exp <= now) return false;
  if (minCost !== undefined && conversation.cost < minCost) return false;
  if (source !== undefined && conversation.source !== source) return false;
  if (
    rating !== undefined && !isRunRated(conversation, { runId: row.runId, filter: rating, now })
  ) {
    return false;
  }
  return finish === undefined || finishesMatching(finish).includes(row.finishReason);
}
