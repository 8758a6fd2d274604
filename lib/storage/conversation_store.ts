import type { System } from "../system.ts";
import { type RunRecord, runRecordSchema } from "../usage/run_record.ts";
import { openDetails } from "./run_details.ts";
import { DELETED_KEPT_MS, indexKeys } from "./append_run.ts";
import { type ContentCipher, contentPlaces, UnreadableContentError } from "./content_cipher.ts";
import { markKeys } from "./conversation_index.ts";
import {
  type Conversation,
  conversationHeadSchema,
  type DeletedConversation,
  isLive,
  type RunRow,
  runRowSchema,
  type Words,
  wordsSchema,
} from "./conversation_record.ts";
import {
  type ConversationSearch,
  searchConversations,
  type SearchedPage,
  type SearchPosition,
} from "./conversation_search.ts";
import { deleteRow } from "./conversation_usage.ts";
import { type ConversationName, keys } from "./keys.ts";
import { type Page, type PageRequest, readPage } from "./page.ts";
import { joinParts, readParts, sizeOfParts } from "./parts.ts";
import { parseRecord, untilCommitted } from "./record.ts";

/** Runs that a mark names; no tenant has more of them at once. */
const MAX_GONE = 800;
/** Keys that one step deletes. */
const KEYS_A_DELETION = 500;
/** One answer holds runs until their words are this many bytes, and at least one. */
const PAGE_BYTES = 4 * 1024 * 1024;

/** Which of the conversations that share an id, where it matters. */
export interface ConversationFilter {
  agentId?: string | undefined;
  /** Empty: held with an API key. */
  origin?: string | undefined;
}

/** One run with its words. */
export interface SaidRun {
  row: RunRow;
  /** `unreadable`: they do not decrypt. */
  words: Words | "unreadable";
}

/** Conversations of all tenants; every method takes the tenant first and sees nothing outside it. */
export class ConversationStore {
  #kv: Deno.Kv;
  #system: Pick<System, "now">;
  #content: ContentCipher;

  constructor(kv: Deno.Kv, parts: { system: Pick<System, "now">; content: ContentCipher }) {
    this.#kv = kv;
    this.#system = parts.system;
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
    for await (const entry of this.#kv.list({ prefix: keys.conversationsNamed(tenant, id) })) {
      const head = parseRecord(conversationHeadSchema, entry);
      if (isLive(head, this.#system.now()) && matchesFilter(head, filter)) found.push(head);
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
        return isLive(head, this.#system.now()) ? head : undefined;
      },
    });
  }

  /** Those that are searched for, the latest first. */
  search(
    tenant: string,
    wanted: { search: ConversationSearch; limit: number; after?: SearchPosition | undefined },
  ): Promise<SearchedPage> {
    return searchConversations(this.#kv, { tenant, ...wanted, now: this.#system.now() });
  }

  /** The records of runs, by their ids; those that are no longer kept are left out. */
  async records(tenant: string, runIds: readonly string[]): Promise<Map<string, RunRecord>> {
    const found = await Promise.all(runIds.map((id) => this.#kv.get(keys.run(tenant, id))));
    const records = found.map((entry) => parseRecord(runRecordSchema, entry));
    const known = records.filter((record) => record !== undefined);
    const opened = await Promise.all(
      known.map((record) => openDetails(record, { content: this.#content })),
    );
    return new Map(opened.map((record) => [record.runId, record]));
  }

  /** Its runs from number `from` on, in their order; `next` is where the following page begins. */
  async runs(
    name: ConversationName,
    { from, limit }: { from: number; limit: number },
  ): Promise<{ runs: SaidRun[]; next?: number }> {
    const runs: SaidRun[] = [];
    let bytes = 0;
    const selector = {
      prefix: keys.conversationRuns(name),
      start: keys.conversationRun(name, from),
    };
    for await (const entry of this.#kv.list(selector, { batchSize: limit })) {
      const row = parseRecord(runRowSchema, entry)!;
      const isFull = runs.length === limit || (runs.length > 0 && bytes + row.bytes > PAGE_BYTES);
      if (isFull) return { runs, next: Number(entry.key.at(-1)) };
      const words = row.exp > this.#system.now()
        ? await this.#readableWords(name.tenant, row)
        : undefined;
      if (words === undefined) continue;
      runs.push({ row, words });
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
    await untilCommitted(async () => {
      const entry = await this.#kv.get(key);
      const head = parseRecord(conversationHeadSchema, entry);
      if (head !== undefined && "id" in head) await this.#deleteRuns(name);
      const named = [...new Set([...head?.gone ?? [], ...running])].slice(-MAX_GONE);
      const gone = await this.#goingOn(name.tenant, named);
      const mark: DeletedConversation = { v: 1, gone };
      const change = this.#kv.atomic().check(entry);
      if (gone.length === 0) change.delete(key);
      else change.set(key, mark, { expireIn: DELETED_KEPT_MS });
      if (head !== undefined && "id" in head) {
        for (const index of indexKeys(name, head.updatedAt)) change.delete(index);
        for (const mark of markKeys(name, head)) change.delete(mark);
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
  async #goingOn(tenant: string, runIds: readonly string[]): Promise<string[]> {
    const live = await Promise.all(runIds.map((id) => this.#kv.get(keys.liveRun(tenant, id))));
    return runIds.filter((_id, n) => live[n]!.versionstamp !== null);
  }

  /** Removes all that is stored of a run, its conversation's row excepted. */
  async #deleteRun(tenant: string, runId: string): Promise<void> {
    const gone = await this.keysOf(tenant, runId);
    while (gone.length > 0) {
      const change = this.#kv.atomic();
      for (const key of gone.splice(0, KEYS_A_DELETION)) change.delete(key);
      await change.commit();
    }
  }

  /** Where that is. */
  async keysOf(tenant: string, runId: string): Promise<Deno.KvKey[]> {
    const lists = [
      keys.conversationParts(tenant, runId),
      keys.runAskedParts(tenant, runId),
      keys.runChunks(tenant, runId),
    ];
    const found: Deno.KvKey[] = [keys.runHead(tenant, runId), keys.run(tenant, runId)];
    for (const prefix of lists) {
      for await (const { key } of this.#kv.list({ prefix })) found.push(key);
    }
    return found;
  }

  async #deleteRuns(name: ConversationName): Promise<void> {
    for await (const entry of this.#kv.list({ prefix: keys.conversationRuns(name) })) {
      await this.#deleteRun(name.tenant, parseRecord(runRowSchema, entry)!.runId);
      // Last: a deletion that was cut off finds the rest when it is asked for again.
      await deleteRow(this.#kv, { tenant: name.tenant, key: entry.key });
    }
  }

  /** One run that does not decrypt must not keep the rest of the conversation from being read. */
  async #readableWords(tenant: string, row: RunRow): Promise<SaidRun["words"] | undefined> {
    try {
      return await this.#words(tenant, row);
    } catch (error) {
      if (error instanceof UnreadableContentError) return "unreadable";
      throw error;
    }
  }

  async #words(tenant: string, row: RunRow): Promise<Words | undefined> {
    const { runId, parts, bytes } = row;
    const open = (part: Uint8Array, n: number) =>
      this.#content.open(part, contentPlaces.words(tenant, runId, n));
    if (row.words !== undefined) return unpackWords(await open(row.words, 0));
    const wanted = Array.from({ length: parts }, (_, n) => keys.conversationPart(tenant, runId, n));
    const found = await readParts(this.#kv, wanted);
    const opened = found && await Promise.all(found.map(open));
    // Two that settled it at once may both have written ahead: what one left of the other's is no words,
    // and must not keep the rest of the conversation from being read.
    if (opened === undefined || sizeOfParts(opened) !== bytes) return undefined;
    return unpackWords(joinParts(opened));
  }
}

function unpackWords(bytes: Uint8Array): Words {
  return wordsSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
}

/** Whether a conversation, or a run of one, is of the kind that is asked for. */
export function matchesFilter(
  of: { agentId: string; origin?: string | undefined },
  { agentId, origin }: ConversationFilter,
): boolean {
  if (agentId !== undefined && of.agentId !== agentId) return false;
  return origin === undefined || (of.origin ?? "") === origin;
}
