import type { Runtime } from "../../platform/runtime.ts";
import {
  type ContentCipher,
  contentContexts,
  UnreadableContentError,
} from "../encryption/content_cipher.ts";
import { type ConversationName, keys } from "../keys/keys.ts";
import { unsealRunDetails } from "../runs/run_details.ts";
import { type RunRecord, runRecordSchema } from "../runs/run_record.ts";
import {
  chunkKeys,
  concatBytes,
  deleteKeys,
  listKeys,
  readChunks,
  totalBytes,
} from "../values/chunks.ts";
import { type Page, type PageRequest, readPage } from "../values/page.ts";
import { SearchIndex } from "../search/search_index.ts";
import { parseRecord, retryUntilCommitted } from "../values/record.ts";
import { TOMBSTONE_TTL_MS } from "./append_run.ts";
import { indexKeys } from "./conversation_index.ts";
import {
  type Conversation,
  conversationHeadSchema,
  type ConversationTombstone,
  isReadable,
  type RunRow,
  runRowSchema,
  type RunTranscript,
  runTranscriptSchema,
} from "./conversation_record.ts";
import {
  type ConversationSearch,
  type ConversationSearchPage,
  searchConversations,
  type SearchCursor,
} from "./conversation_search.ts";
import { deleteRunRow } from "./conversation_usage.ts";
import { type FailedRunCursor, type FailedRunPage, searchFailedRuns } from "./failed_runs.ts";

/** Runs in a tombstone; no tenant has more active runs. */
const MAX_TOMBSTONE_RUNS = 800;
/** A page ends after this many bytes of transcripts, and has at least one run. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/** Distinguishes conversations that share an id. */
export interface ConversationFilter {
  agentId?: string | undefined;
  /** Empty for calls with an API key. */
  origin?: string | undefined;
}

export interface RunWithTranscript {
  row: RunRow;
  /** `unreadable` if it cannot be decrypted. */
  transcript: RunTranscript | "unreadable";
}

/** Conversations of all tenants; every method takes the tenant first and sees only its conversations. */
export class ConversationStore {
  #kv: Deno.Kv;
  #runtime: Pick<Runtime, "now">;
  #content: ContentCipher;

  constructor(kv: Deno.Kv, deps: { runtime: Pick<Runtime, "now">; content: ContentCipher }) {
    this.#kv = kv;
    this.#runtime = deps.runtime;
    this.#content = deps.content;
  }

  /**
   * The conversation with this id. Clients choose ids, so another agent or page may have the same: without
   * a `filter` the oldest one wins, so that no client can hide another's conversation.
   */
  async find(
    tenant: string,
    id: string,
    filter: ConversationFilter = {},
  ): Promise<Conversation | undefined> {
    const found: Conversation[] = [];
    for await (const entry of this.#kv.list({ prefix: keys.conversationsById(tenant, id) })) {
      const head = parseRecord(conversationHeadSchema, entry);
      if (isReadable(head, this.#runtime.now()) && matchesFilter(head, filter)) found.push(head);
    }
    return found.sort((a, b) => a.createdAt - b.createdAt)[0];
  }

  /** The last updated first; of one agent, if given. */
  list(
    tenant: string,
    { agentId, ...page }: PageRequest & { agentId?: string | undefined },
  ): Promise<Page<Conversation>> {
    const prefix = agentId === undefined
      ? keys.conversationsByUpdated(tenant)
      : keys.conversationsByAgent(tenant, agentId);
    return readPage<Conversation, [string, string, string]>(this.#kv, prefix, {
      ...page,
      load: async ([id, agent, place]) => {
        const key = keys.conversation({ tenant, id, agentId: agent, page: place });
        const head = parseRecord(conversationHeadSchema, await this.#kv.get(key));
        return isReadable(head, this.#runtime.now()) ? head : undefined;
      },
    });
  }

  /** The matching conversations, latest first. */
  search(
    tenant: string,
    options: { search: ConversationSearch; limit: number; after?: SearchCursor | undefined },
  ): Promise<ConversationSearchPage> {
    return searchConversations(this.#kv, { tenant, ...options, now: this.#runtime.now() });
  }

  /** The failed runs that match, latest first. */
  searchFailedRuns(
    tenant: string,
    options: { search: ConversationSearch; limit: number; after?: FailedRunCursor | undefined },
  ): Promise<FailedRunPage> {
    return searchFailedRuns(this.#kv, { tenant, ...options, now: this.#runtime.now() });
  }

  /** The records of runs by id, without those that are no longer stored. */
  async readRunRecords(tenant: string, runIds: readonly string[]): Promise<Map<string, RunRecord>> {
    const records = await Promise.all(runIds.map(async (id): Promise<[string, RunRecord][]> => {
      const record = parseRecord(runRecordSchema, await this.#kv.get(keys.run(tenant, id)));
      if (record === undefined) return [];
      return [[record.runId, await unsealRunDetails(record, { content: this.#content })]];
    }));
    return new Map(records.flat());
  }

  /** Its runs in order, starting with number `from`; `next` is where the following page starts. */
  async listRuns(
    name: ConversationName,
    { from, limit }: { from: number; limit: number },
  ): Promise<{ runs: RunWithTranscript[]; next?: number }> {
    const runs: RunWithTranscript[] = [];
    let bytes = 0;
    const selector = {
      prefix: keys.conversationRuns(name),
      start: keys.conversationRun(name, from),
    };
    for await (const entry of this.#kv.list(selector, { batchSize: limit })) {
      const row = parseRecord(runRowSchema, entry)!;
      const isFull = runs.length === limit ||
        (runs.length > 0 && bytes + row.bytes > MAX_PAGE_BYTES);
      if (isFull) return { runs, next: Number(entry.key.at(-1)) };
      if (row.exp <= this.#runtime.now()) continue;
      const transcript = await this.readTranscript(name.tenant, row);
      if (transcript === undefined) continue;
      runs.push({ row, transcript });
      bytes += row.bytes;
    }
    return { runs };
  }

  /** What was said in its first run; `undefined` if that has expired or is gone. */
  async readFirstRun(
    name: ConversationName,
  ): Promise<RunWithTranscript["transcript"] | undefined> {
    const selector = { prefix: keys.conversationRuns(name) };
    for await (const entry of this.#kv.list(selector, { limit: 5, batchSize: 1 })) {
      const row = parseRecord(runRowSchema, entry)!;
      if (row.exp > this.#runtime.now()) return await this.readTranscript(name.tenant, row);
    }
    return undefined;
  }

  /**
   * Deletes a conversation with its transcripts, runs and logs; sums of usage stay. What the active runs
   * among `running` have stored is deleted when they end.
   */
  async delete(name: ConversationName, running: readonly string[] = []): Promise<void> {
    const key = keys.conversation(name);
    await retryUntilCommitted(async () => {
      const entry = await this.#kv.get(key);
      const head = parseRecord(conversationHeadSchema, entry);
      const conversation = head !== undefined && "id" in head ? head : undefined;
      if (conversation !== undefined) await this.#deleteRuns(name);
      const ids = [...new Set([...head?.gone ?? [], ...running])].slice(-MAX_TOMBSTONE_RUNS);
      const gone = await this.#filterActive(name.tenant, ids);
      const tombstone: ConversationTombstone = { v: 1, gone };
      const step = this.#kv.atomic().check(entry);
      if (gone.length === 0) step.delete(key);
      else step.set(key, tombstone, { expireIn: TOMBSTONE_TTL_MS });
      for (const index of conversation ? indexKeys(name, conversation) : []) step.delete(index);
      // A run that ended in between changed the head: the next attempt deletes it too.
      return (await step.commit()).ok || undefined;
    }, { what: "conversation" });
  }

  /** The names of all conversations, the least recently updated first. */
  async *oldestFirst(tenant: string): AsyncGenerator<ConversationName> {
    const prefix = keys.conversationsByUpdated(tenant);
    for await (const { value } of this.#kv.list<[string, string, string]>({ prefix })) {
      const [id, agentId, page] = value;
      yield { tenant, id, agentId, page };
    }
  }

  /** The active ones of these runs: a run that ends later changes the conversation's head. */
  async #filterActive(tenant: string, runIds: readonly string[]): Promise<string[]> {
    const runs = await Promise.all(runIds.map((id) => this.#kv.get(keys.activeRun(tenant, id))));
    return runIds.filter((_id, n) => runs[n]!.versionstamp !== null);
  }

  /** The keys of everything stored for a run, except its row in the conversation. */
  async listRunKeys(tenant: string, runId: string): Promise<Deno.KvKey[]> {
    const found: Deno.KvKey[] = [keys.runLogHead(tenant, runId), keys.run(tenant, runId)];
    for (const prefixOf of [keys.transcriptChunks, keys.runInputChunks, keys.runLogChunks]) {
      found.push(...await listKeys(this.#kv, prefixOf(tenant, runId)));
    }
    return found;
  }

  async #deleteRuns(name: ConversationName): Promise<void> {
    const { tenant } = name;
    const rows = await Array.fromAsync(
      this.#kv.list({ prefix: keys.conversationRuns(name) }),
      (entry) => ({ key: entry.key, runId: parseRecord(runRowSchema, entry)!.runId }),
    );
    const runIds = rows.map(({ runId }) => runId);
    await new SearchIndex(this.#kv).erase(tenant, runIds, this.#runtime.now());
    for (const { key, runId } of rows) {
      await deleteKeys(this.#kv, await this.listRunKeys(tenant, runId));
      // Last, so that repeating an interrupted deletion finds the rest.
      await deleteRunRow(this.#kv, { tenant, key });
    }
  }

  /**
   * What was said in a run; `undefined` if it is gone. One run that cannot be decrypted must not prevent
   * reading the others.
   */
  async readTranscript(
    tenant: string,
    row: RunRow,
  ): Promise<RunWithTranscript["transcript"] | undefined> {
    try {
      return await this.#readTranscript(tenant, row);
    } catch (error) {
      if (error instanceof UnreadableContentError) return "unreadable";
      throw error;
    }
  }

  async #readTranscript(tenant: string, row: RunRow): Promise<RunTranscript | undefined> {
    const { runId, parts, bytes } = row;
    const unseal = (chunk: Uint8Array, n: number) =>
      this.#content.unseal(chunk, contentContexts.transcript(tenant, runId, n));
    if (row.words !== undefined) return parseTranscript(await unseal(row.words, 0));
    const wanted = chunkKeys(parts, (n) => keys.transcriptChunk(tenant, runId, n));
    const chunks = await readChunks(this.#kv, wanted);
    const plain = chunks && await Promise.all(chunks.map(unseal));
    // Two processes that settled the run concurrently may have mixed their chunks. Skip such a transcript,
    // so that the other runs can be read.
    if (plain === undefined || totalBytes(plain) !== bytes) return undefined;
    return parseTranscript(concatBytes(plain));
  }
}

function parseTranscript(bytes: Uint8Array): RunTranscript {
  return runTranscriptSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
}

/** True if a conversation, or one of its runs, matches the filter. */
export function matchesFilter(
  of: { agentId: string; origin?: string | undefined },
  { agentId, origin }: ConversationFilter,
): boolean {
  if (agentId !== undefined && of.agentId !== agentId) return false;
  return origin === undefined || (of.origin ?? "") === origin;
}
