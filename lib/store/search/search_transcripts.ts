import { termsIn } from "../../schemas/search_terms.ts";
import {
  type Conversation,
  conversationHeadSchema,
  isReadable,
  type RunRow,
  runRowSchema,
  type RunTranscript,
} from "../conversations/conversation_record.ts";
import { isRunRated } from "../conversations/rated_runs.ts";
import { finishesMatching } from "../conversations/conversation_index.ts";
import type { ConversationSearch } from "../conversations/conversation_search.ts";
import type { ConversationStore } from "../conversations/conversation_store.ts";
import type { ContentCipher } from "../encryption/content_cipher.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord } from "../values/record.ts";
import { type Match, type MatchCursor, SearchIndex } from "./search_index.ts";
import { MAX_TERMS, searchableText, termHasher } from "./search_indexing.ts";
import { nameOf } from "./search_records.ts";
import { snippetOf, type SnippetPart } from "./search_snippet.ts";

/** Words of a query that are searched for. */
const MAX_QUERY_TERMS = 8;
/** Transcripts that one search decrypts; most of them match. */
const MAX_READ = 100;
/** Segments that one search reads, each of some 40 KB. */
const MAX_SEGMENTS = 40;

/** A run in which the words were said. */
export interface FoundRun {
  conversation: Conversation;
  row: RunRow;
  transcript: RunTranscript;
  snippet: SnippetPart[];
}

export interface FoundRunPage {
  data: FoundRun[];
  next?: MatchCursor;
  /** True if the search reached its limit of work; there may be more matches. */
  cutShort: boolean;
}

export interface TranscriptSearchDeps {
  content: ContentCipher;
  conversations: Pick<ConversationStore, "readTranscript">;
}

/** The runs in which all words of the query were said and that match the filters, roughly latest first. */
export async function searchTranscripts(
  kv: Deno.Kv,
  { tenant, query, search, limit, after, now, ...deps }: TranscriptSearchDeps & {
    tenant: string;
    query: string;
    search: ConversationSearch;
    limit: number;
    after?: MatchCursor | undefined;
    now: number;
  },
): Promise<FoundRunPage> {
  const terms = termsIn(query, MAX_QUERY_TERMS);
  if (terms.size === 0) return { data: [], cutShort: false };
  const hashes = [...terms].map(termHasher(deps.content, tenant));
  const data: FoundRun[] = [];
  let last: Match | undefined;
  const { agentId, from, to } = search;
  const filter = { agentId, from, to };
  const segments = new Set<number>();
  let work = 0;
  for await (const match of new SearchIndex(kv).find(tenant, { hashes, filter, after, now })) {
    segments.add(match.segment);
    if (data.length === limit || work === MAX_READ || segments.size > MAX_SEGMENTS) {
      const next: MatchCursor = [last!.run.at, last!.run.runId, last!.segment];
      return { data, next, cutShort: data.length < limit };
    }
    last = match;
    const { run } = match;
    if (agentId !== undefined && agentId !== run.agentId) continue;
    if (run.at < (from ?? 0) || run.at >= (to ?? Infinity)) continue;
    work++;
    const found = await readMatch(kv, { tenant, match, terms, search, now, ...deps });
    if (found !== undefined) data.push(found);
  }
  return { data, cutShort: false };
}

async function readMatch(
  kv: Deno.Kv,
  { tenant, match: { run }, terms, search, now, conversations }: TranscriptSearchDeps & {
    tenant: string;
    match: Match;
    terms: ReadonlySet<string>;
    search: ConversationSearch;
    now: number;
  },
): Promise<FoundRun | undefined> {
  const name = nameOf(tenant, run);
  const [headEntry, rowEntry] = await kv.getMany([
    keys.conversation(name),
    keys.conversationRun(name, run.n),
  ]);
  const head = parseRecord(conversationHeadSchema, headEntry!);
  const row = parseRecord(runRowSchema, rowEntry!);
  if (!isReadable(head, now) || row === undefined || row.runId !== run.runId) return undefined;
  if (!matchesFilters({ head, row, now }, search)) return undefined;
  const transcript = await conversations.readTranscript(tenant, row);
  if (transcript === undefined || transcript === "unreadable") return undefined;
  // Different terms may have the same hash.
  const text = searchableText(transcript);
  const known = termsIn(text, MAX_TERMS);
  if (![...terms].every((term) => known.has(term))) return undefined;
  return { conversation: head, row, transcript, snippet: snippetOf(text, terms) ?? [] };
}

function matchesFilters(
  { head, row, now }: { head: Conversation; row: RunRow; now: number },
  { finish, minCost, source, rating }: ConversationSearch,
): boolean {
  if (minCost !== undefined && head.cost < minCost) return false;
  if (source !== undefined && head.source !== source) return false;
  if (rating !== undefined && !isRunRated(head, { runId: row.runId, filter: rating, now })) {
    return false;
  }
  return finish === undefined || finishesMatching(finish).includes(row.finishReason);
}
