import type { Runtime } from "../../platform/runtime.ts";
import { type RunRecord, runRecordSchema } from "../runs/run_record.ts";
import { unsealRunDetails } from "../runs/run_details.ts";
import { conversationIndexKeys, TOMBSTONE_TTL_MS } from "./append_run.ts";
import {
  type ContentCipher,
  contentContexts,
  UnreadableContentError,
} from "../encryption/content_cipher.ts";
import { tagIndexKeys } from "./conversation_index.ts";
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
import { type ConversationName, keys } from "../keys/keys.ts";
import { type Page, type PageRequest, readPage } from "../values/page.ts";
import { joinChunks, readChunks, totalBytes } from "../values/chunks.ts";
import { parseRecord, retryUntilCommitted } from "../values/record.ts";

/** Runs that a mark names; no tenant has more of them at once. */
const MAX_TOMBSTONE_RUNS = 800;
/** Keys that one step deletes. */
const MAX_KEYS_PER_DELETION = 500;
/** One answer holds runs until their words are this many bytes, and at least one. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/** Which of the conversations that share an id, where it matters. */
export interface ConversationFilter {
  agentId?: string | undefined;
  /** Empty: held with an API key. */
  origin?: string | undefined;
}

/** One run with its words. */
export interface RunWithTranscript {
  row: RunRow;
  /** `unreadable`: they do not decrypt. */
  transcript: RunTranscript | "unreadable";
}

/** Conversations of all tenants; every method takes the tenant first and sees nothing outside it. */
export class ConversationStore {
  #kv: Deno.Kv;
  #runtime: Pick<Runtime, "now">;
  #content: ContentCipher;

  constructor(kv: Deno.Kv, parts: { runtime: Pick<Runtime, "now">; content: ContentCipher }) {
    this.#kv = kv;
    this.#runtime = parts.runtime;
    this.#content = parts.content;
  }

  /**
   * The conversation with this id. A client may choose an id that another agent or page has: then it is
   * the one that began first, unless `filter` says, so that nobody can hide another's.
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

  /** Those last added to first; of one agent, where it is named. */
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

  /** Those that are searched for, the latest first. */
  search(
    tenant: string,
    wanted: { search: ConversationSearch; limit: number; after?: SearchCursor | undefined },
  ): Promise<ConversationSearchPage> {
    return searchConversations(this.#kv, { tenant, ...wanted, now: this.#runtime.now() });
  }

  /** The records of runs, by their ids; those that are no longer kept are left out. */
  async readRunRecords(tenant: string, runIds: readonly string[]): Promise<Map<string, RunRecord>> {
    const found = await Promise.all(runIds.map((id) => this.#kv.get(keys.run(tenant, id))));
    const records = found.map((entry) => parseRecord(runRecordSchema, entry));
    const known = records.filter((record) => record !== undefined);
    const opened = await Promise.all(
      known.map((record) => unsealRunDetails(record, { content: this.#content })),
    );
    return new Map(opened.map((record) => [record.runId, record]));
  }

  /** Its runs from number `from` on, in their order; `next` is where the following page begins. */
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
      const words = row.exp > this.#runtime.now()
        ? await this.#readTranscriptOrUnreadable(name.tenant, row)
        : undefined;
      if (words === undefined) continue;
      runs.push({ row, transcript: words });
      bytes += row.bytes;
    }
    return { runs };
  }

  /**
   * Removes all that is stored of it: what was said, its runs, their logs. Sums of usage stay. What is
   * stored of `running`, the runs that go on in it, goes when they end.
   */
  async delete(name: ConversationName, running: readonly string[] = []): Promise<void> {
    const key = keys.conversation(name);
    await retryUntilCommitted(async () => {
      const entry = await this.#kv.get(key);
      const head = parseRecord(conversationHeadSchema, entry);
      if (head !== undefined && "id" in head) await this.#deleteRuns(name);
      const named = [...new Set([...head?.gone ?? [], ...running])].slice(-MAX_TOMBSTONE_RUNS);
      const gone = await this.#filterActive(name.tenant, named);
      const mark: ConversationTombstone = { v: 1, gone };
      const change = this.#kv.atomic().check(entry);
      if (gone.length === 0) change.delete(key);
      else change.set(key, mark, { expireIn: TOMBSTONE_TTL_MS });
      if (head !== undefined && "id" in head) {
        for (const index of conversationIndexKeys(name, head.updatedAt)) change.delete(index);
        for (const mark of tagIndexKeys(name, head)) change.delete(mark);
      }
      // A run that has ended meanwhile is there to be deleted too.
      return (await change.commit()).ok ? true : undefined;
    }, { what: "conversation" });
  }

  /** The names of all, the one that was last added to longest ago first. */
  async *oldestFirst(tenant: string): AsyncGenerator<ConversationName> {
    const prefix = keys.conversationsByUpdated(tenant);
    for await (const { value } of this.#kv.list<[string, string, string]>({ prefix })) {
      const [id, agentId, page] = value;
      yield { tenant, id, agentId, page };
    }
  }

  /** Those of the runs that have not ended: one that ends later changes the conversation's head. */
  async #filterActive(tenant: string, runIds: readonly string[]): Promise<string[]> {
    const live = await Promise.all(runIds.map((id) => this.#kv.get(keys.activeRun(tenant, id))));
    return runIds.filter((_id, n) => live[n]!.versionstamp !== null);
  }

  /** Removes all that is stored of a run, its conversation's row excepted. */
  async #deleteRun(tenant: string, runId: string): Promise<void> {
    const gone = await this.listRunKeys(tenant, runId);
    while (gone.length > 0) {
      const change = this.#kv.atomic();
      for (const key of gone.splice(0, MAX_KEYS_PER_DELETION)) change.delete(key);
      await change.commit();
    }
  }

  /** Where that is. */
  async listRunKeys(tenant: string, runId: string): Promise<Deno.KvKey[]> {
    const lists = [
      keys.transcriptChunks(tenant, runId),
      keys.runInputChunks(tenant, runId),
      keys.runLogChunks(tenant, runId),
    ];
    const found: Deno.KvKey[] = [keys.runLogHead(tenant, runId), keys.run(tenant, runId)];
    for (const prefix of lists) {
      for await (const { key } of this.#kv.list({ prefix })) found.push(key);
    }
    return found;
  }

  async #deleteRuns(name: ConversationName): Promise<void> {
    for await (const entry of this.#kv.list({ prefix: keys.conversationRuns(name) })) {
      await this.#deleteRun(name.tenant, parseRecord(runRowSchema, entry)!.runId);
      // Last: a deletion that was cut off finds the rest when it is asked for again.
      await deleteRunRow(this.#kv, { tenant: name.tenant, key: entry.key });
    }
  }

  /** One run that does not decrypt must not keep the rest of the conversation from being read. */
  async #readTranscriptOrUnreadable(
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
    const open = (part: Uint8Array, n: number) =>
      this.#content.unseal(part, contentContexts.transcript(tenant, runId, n));
    if (row.words !== undefined) return parseTranscript(await open(row.words, 0));
    const wanted = Array.from({ length: parts }, (_, n) => keys.transcriptChunk(tenant, runId, n));
    const found = await readChunks(this.#kv, wanted);
    const opened = found && await Promise.all(found.map(open));
    // Two that settled it at once may both have written ahead: what one left of the other's is no words,
    // and must not keep the rest of the conversation from being read.
    if (opened === undefined || totalBytes(opened) !== bytes) return undefined;
    return parseTranscript(joinChunks(opened));
  }
}

function parseTranscript(bytes: Uint8Array): RunTranscript {
  return runTranscriptSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
}

/** Whether a conversation, or a run of one, is of the kind that is asked for. */
export function matchesFilter(
  of: { agentId: string; origin?: string | undefined },
  { agentId, origin }: ConversationFilter,
): boolean {
  if (agentId !== undefined && of.agentId !== agentId) return false;
  return origin === undefined || (of.origin ?? "") === origin;
}
