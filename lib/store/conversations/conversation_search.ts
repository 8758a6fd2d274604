import type { ConversationSource } from "../../schemas/conversation_source.ts";
import {
  costTags,
  type CostThreshold,
  finishesMatching,
  type FinishFilter,
  finishTags,
  type IndexValue,
  matchesRating,
  type RatingFilter,
  ratingTags,
  sourceTags,
} from "./conversation_index.ts";
import {
  type Conversation,
  type ConversationHead,
  conversationHeadSchema,
  isReadable,
} from "./conversation_record.ts";
import { currentRatings } from "./rated_runs.ts";
import { type ConversationName, keys } from "../keys/keys.ts";
import { readMany } from "../values/chunks.ts";
import { parseRecord } from "../values/record.ts";

/** Criteria that all must match; absent ones match everything. Times in milliseconds. */
export interface ConversationSearch {
  agentId?: string | undefined;
  /** Last updated in this period, `to` exclusive. With a `finish`: when such a run ended. */
  from?: number | undefined;
  to?: number | undefined;
  /** A run ended like this; for `stop`, all of them did. */
  finish?: FinishFilter | undefined;
  /** Micro-USD. */
  minCost?: CostThreshold | undefined;
  source?: ConversationSource | undefined;
  /** An answer was rated so. */
  rating?: RatingFilter | undefined;
}

/** A search continues after this entry of its index. */
export type SearchCursor = [at: number, id: string, agentId: string, page: string];

export interface ConversationSearchPage {
  data: Conversation[];
  /** Absent at the end of the index. */
  next?: SearchCursor;
  /** True if the search reached its limit of work; there may be more matches. */
  cutShort: boolean;
}

/**
 * The limit of work for one search: 1,000 index entries (4 ms), or 200 with their conversations. So a
 * search without matches takes no longer among 100,000 conversations than among 100.
 */
const MAX_WORK = 1_000;
const WORK_PER_RECORD = 5;

type Entry = Deno.KvEntry<IndexValue>;

/** The latest first. Walks the sparsest ordered index that fits, up to the limit of work. */
export async function searchConversations(
  kv: Deno.Kv,
  options: {
    tenant: string;
    search: ConversationSearch;
    limit: number;
    after?: SearchCursor | undefined;
    now: number;
  },
): Promise<ConversationSearchPage> {
  const { tenant, search, limit } = options;
  const entries = mergeNewestFirst(
    indexesFor(tenant, search).map((index) => openIndex(kv, index, options)),
  );
  const data: Conversation[] = [];
  let work = 0;
  let last: Entry | undefined;
  let next = await entries.next();
  while (!next.done && data.length < limit && work < MAX_WORK) {
    const batch: { name: ConversationName; at: number }[] = [];
    const missing = limit - data.length;
    for (; !next.done && batch.length < missing && work < MAX_WORK; next = await entries.next()) {
      last = next.value;
      work++;
      const [id, agentId, page, source] = last.value;
      if (search.agentId !== undefined && search.agentId !== agentId) continue;
      if (search.source !== undefined && source !== undefined && search.source !== source) continue;
      batch.push({ name: { tenant, id, agentId, page }, at: cursorOf(last)[0] });
      work += WORK_PER_RECORD - 1;
    }
    const heads = await readHeads(kv, batch.map(({ name }) => name));
    data.push(...heads.filter((head, n) => matchesSearch(head, { ...options, at: batch[n]!.at })));
  }
  if (next.done || last === undefined) return { data, cutShort: false };
  return { data, next: cursorOf(last), cutShort: data.length < limit };
}

interface SearchIndex {
  prefix: Deno.KvKey;
  /** The rest of an entry's key. */
  tail: (cursor: SearchCursor) => Deno.KvKey;
}

/** The smallest indexes that together have all matches. */
function indexesFor(
  tenant: string,
  { agentId, finish, minCost, source, rating }: ConversationSearch,
): SearchIndex[] {
  const tail = (cursor: SearchCursor): Deno.KvKey => cursor;
  const tags = (finish && finishTags(finish)) ?? (rating && ratingTags(rating)) ??
    (minCost && costTags(minCost)) ??
    (source && sourceTags(source));
  if (tags !== undefined) {
    return tags.map((tag) => ({ prefix: keys.conversationsByTag(tenant, tag), tail }));
  }
  if (agentId === undefined) return [{ prefix: keys.conversationsByUpdated(tenant), tail }];
  const prefix = keys.conversationsByAgent(tenant, agentId);
  return [{ prefix, tail: ([at, id, _agentId, page]) => [at, id, page] }];
}

function openIndex(
  kv: Deno.Kv,
  { prefix, tail }: SearchIndex,
  { search: { from, to }, after }: {
    search: ConversationSearch;
    after?: SearchCursor | undefined;
  },
): Deno.KvListIterator<Entry["value"]> {
  const start = [...prefix, from ?? 0];
  const end = [...prefix, ...(after === undefined ? [to ?? Number.MAX_SAFE_INTEGER] : tail(after))];
  return kv.list<Entry["value"]>({ start, end }, { reverse: true });
}

/** Merges ordered lists. */
async function* mergeNewestFirst(lists: AsyncIterator<Entry>[]): AsyncGenerator<Entry, undefined> {
  const heads = await Promise.all(lists.map((list) => list.next()));
  while (true) {
    let newest = -1;
    heads.forEach((head, n) => {
      if (head.done) return;
      const best = heads[newest];
      if (best === undefined || best.done || isNewer(head.value, best.value)) newest = n;
    });
    const head = heads[newest];
    if (head === undefined || head.done) return;
    yield head.value;
    heads[newest] = await lists[newest]!.next();
  }
}

/** The order of the store, which sorts ASCII strings like JavaScript. */
function isNewer(one: Entry, other: Entry): boolean {
  const [a, b] = [cursorOf(one), cursorOf(other)];
  const differs = a.findIndex((part, n) => part !== b[n]);
  return differs !== -1 && a[differs]! > b[differs]!;
}

function cursorOf({ key, value: [id, agentId, page] }: Entry): SearchCursor {
  // The time is the only number; an agent's index omits the agent after it.
  const at = key.find((part) => typeof part === "number")!;
  return [at, id, agentId, page];
}

async function readHeads(
  kv: Deno.Kv,
  names: readonly ConversationName[],
): Promise<(ConversationHead | undefined)[]> {
  const entries = await readMany(kv, names.map((name) => keys.conversation(name)));
  return entries.map((entry) => parseRecord(conversationHeadSchema, entry));
}

function hasRating({ rated }: Conversation, filter: RatingFilter, now: number): boolean {
  return currentRatings(rated, now).some((run) => matchesRating(run, filter));
}

function matchesSearch(
  head: ConversationHead | undefined,
  { search, now, at }: {
    search: ConversationSearch;
    now: number;
    /** The time that orders its index entry. */
    at: number;
  },
): head is Conversation {
  const { finish, minCost, source, rating, from = 0, to = Infinity } = search;
  if (!isReadable(head, now) || (minCost !== undefined && head.cost < minCost)) return false;
  if (source !== undefined && head.source !== source) return false;
  if (rating !== undefined && !hasRating(head, rating, now)) return false;
  // A process of an earlier release may have left an entry of a rating behind.
  const isCurrent = rating === undefined || at === head.updatedAt;
  if (finish === undefined) return isCurrent;
  if (finish === "stop") return isCurrent && head.ended === undefined;
  // A conversation with several such finishes is listed once, by the latest.
  const times = finishesMatching(finish).map((end) => head.ended?.[end] ?? -1);
  return at === Math.max(...times.filter((time) => time >= from && time < to));
}
