import {
  costTags,
  type CostThreshold,
  finishesMatching,
  type FinishFilter,
  finishTags,
} from "./conversation_index.ts";
import {
  type Conversation,
  type ConversationHead,
  conversationHeadSchema,
  isReadable,
} from "./conversation_record.ts";
import { type ConversationName, keys } from "../keys/keys.ts";
import { parseRecord } from "../values/record.ts";

/** Which conversations are looked for; what is left out is not asked about. Times in milliseconds. */
export interface ConversationSearch {
  agentId?: string | undefined;
  /** Last added to in this time: `from` included, `to` not. For a `finish`, when such a run ended. */
  from?: number | undefined;
  to?: number | undefined;
  /** A run of it ended so; for `stop`, all of them did. */
  finish?: FinishFilter | undefined;
  /** It cost at least so much, micro-USD. */
  minCost?: CostThreshold | undefined;
}

/** Where a search goes on: after this entry of its index. */
export type SearchCursor = [at: number, id: string, agentId: string, page: string];

export interface ConversationSearchPage {
  data: Conversation[];
  /** Absent when all of the index has been looked at. */
  next?: SearchCursor;
  /** The search has looked at as much as one may, and there may be more. */
  cutShort: boolean;
}

/**
 * What one search may look at: 1,000 entries of an index (4 ms), or 200 of them with their
 * conversations. So a search for what is nowhere takes no longer among 100,000 than among 100.
 */
const MAX_WORK = 1_000;
const WORK_PER_RECORD = 5;
/** What one `getMany` takes. */
const MAX_KEYS_PER_READ = 10;

type Entry = Deno.KvEntry<[id: string, agentId: string, page: string]>;

/** The latest first. Walks one ordered index, the sparsest there is, and no further than it may. */
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
    indexesFor(tenant, search).map((list) => openIndex(kv, list, options)),
  );
  const data: Conversation[] = [];
  let work = 0;
  let last: Entry | undefined;
  let done = false;
  while (!done && data.length < limit && work < MAX_WORK) {
    const names: ConversationName[] = [];
    const times: number[] = [];
    while (names.length < limit - data.length && work < MAX_WORK) {
      const next = await entries.next();
      done = next.done === true;
      if (next.done) break;
      last = next.value;
      work++;
      const [id, agentId, page] = last.value;
      if (search.agentId !== undefined && search.agentId !== agentId) continue;
      names.push({ tenant, id, agentId, page });
      times.push(cursorOf(last)[0]);
      work += WORK_PER_RECORD - 1;
    }
    const heads = await readHeads(kv, names);
    data.push(...heads.filter((head, n) => matchesSearch(head, { ...options, at: times[n]! })));
  }
  const isEnd = done || last === undefined || (await entries.next()).done === true;
  if (isEnd) return { data, cutShort: false };
  return { data, next: cursorOf(last!), cutShort: data.length < limit };
}

interface SearchIndex {
  prefix: Deno.KvKey;
  /** The place of an entry in it. */
  tail: (position: SearchCursor) => Deno.KvKey;
}

/** The lists that have all that is looked for and the least else. */
function indexesFor(
  tenant: string,
  { agentId, finish, minCost }: ConversationSearch,
): SearchIndex[] {
  const tail = (position: SearchCursor): Deno.KvKey => position;
  const marks = (finish && finishTags(finish)) ?? (minCost && costTags(minCost));
  if (marks !== undefined) {
    return marks.map((mark) => ({ prefix: keys.conversationsByTag(tenant, mark), tail }));
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

/** Several lists as one. */
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

/** In the order of the store, whose strings of ASCII are ordered as ours are. */
function isNewer(one: Entry, other: Entry): boolean {
  const [a, b] = [cursorOf(one), cursorOf(other)];
  const differs = a.findIndex((part, n) => part !== b[n]);
  return differs !== -1 && a[differs]! > b[differs]!;
}

function cursorOf({ key, value: [id, agentId, page] }: Entry): SearchCursor {
  // The time is what comes before the name, of which an agent's own list leaves out the agent.
  const at = key.find((part) => typeof part === "number")!;
  return [at, id, agentId, page];
}

async function readHeads(
  kv: Deno.Kv,
  names: readonly ConversationName[],
): Promise<(ConversationHead | undefined)[]> {
  const reads: Promise<Deno.KvEntryMaybe<unknown>[]>[] = [];
  for (let at = 0; at < names.length; at += MAX_KEYS_PER_READ) {
    const wanted = names.slice(at, at + MAX_KEYS_PER_READ).map((name) => keys.conversation(name));
    reads.push(kv.getMany<unknown[]>(wanted));
  }
  const entries = (await Promise.all(reads)).flat();
  return entries.map((entry) => parseRecord(conversationHeadSchema, entry));
}

function matchesSearch(
  head: ConversationHead | undefined,
  { search, now, at }: {
    search: ConversationSearch;
    now: number;
    /** The time by which its entry is ordered. */
    at: number;
  },
): head is Conversation {
  const { finish, minCost, from = 0, to = Infinity } = search;
  if (!isReadable(head, now) || (minCost !== undefined && head.cost < minCost)) return false;
  if (finish === undefined) return true;
  if (finish === "stop") return head.ended === undefined;
  // One that is found under several ends is listed once, by the latest of them.
  const times = finishesMatching(finish).map((end) => head.ended?.[end] ?? -1);
  return at === Math.max(...times.filter((time) => time >= from && time < to));
}
