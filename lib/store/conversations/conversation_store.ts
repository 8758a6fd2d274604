import { type Rating, RATINGS } from "../../schemas/rating.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { type ContentCipher, UnreadableContentError } from "../encryption/content_cipher.ts";
import { eraseConversationAttachments } from "../attachments/attachment_eraser.ts";
import { type ConversationName, keys } from "../keys/keys.ts";
import type { StoredFeedback } from "../feedback/feedback_record.ts";
import { readFeedbackOf } from "../feedback/feedback_store.ts";
import { unsealRunDetails } from "../runs/run_details.ts";
import { type RunRecord, runRecordSchema } from "../runs/run_record.ts";
import { type Page, type PageRequest, readPage } from "../values/page.ts";
import { deleteHandoff } from "../handoffs/handoff_store.ts";
import { parseRecord, retryUntilCommitted } from "../values/record.ts";
import { unsealVisitorId, visitorHash } from "../visitors/visitor_ids.ts";
import { TOMBSTONE_TTL_MS } from "./append_run.ts";
import { indexKeys } from "./conversation_index.ts";
import {
  type Conversation,
  conversationHeadSchema,
  type ConversationTombstone,
  isReadable,
  type RunRow,
  runRowSchema,
} from "./conversation_record.ts";
import {
  type ConversationSearch,
  type ConversationSearchPage,
  searchConversations,
  type SearchCursor,
} from "./conversation_search.ts";
import { currentPath, isOnPath } from "./current_path.ts";
import { currentRatings } from "./rated_runs.ts";
import { type ConversationFilter, matchesFilter } from "./conversation_filter.ts";
import { deleteRuns, listRunKeys } from "./delete_runs.ts";
import { readTranscript, type StoredTranscript } from "./read_transcript.ts";
import { type FailedRunCursor, type FailedRunPage, searchFailedRuns } from "./failed_runs.ts";

/** Runs in a tombstone; no tenant has more active runs. */
const MAX_TOMBSTONE_RUNS = 800;
/** A page ends after this many bytes of transcripts, and has at least one run. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

export interface RunWithTranscript {
  /** Its number in the conversation. */
  n: number;
  row: RunRow;
  transcript: StoredTranscript;
  feedback?: StoredFeedback;
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
   * The conversation with this id. Clients choose ids, so another agent, page or visitor may have the
   * same: without a `filter` the oldest one wins, so that no client can hide another's conversation, and
   * before that one without a visitor, which no filter could name.
   */
  async find(
    tenant: string,
    id: string,
    filter: ConversationFilter = {},
  ): Promise<Conversation | undefined> {
    const found: Conversation[] = [];
    const wanted = this.resolveFilter(tenant, filter);
    for await (const entry of this.#kv.list({ prefix: keys.conversationsById(tenant, id) })) {
      const head = parseRecord(conversationHeadSchema, entry);
      if (!isReadable(head, this.#runtime.now())) continue;
      if (matchesFilter({ ...head, visitor: head.visitor?.hash }, wanted)) found.push(head);
    }
    const named = ({ visitor }: Conversation) => visitor === undefined ? 0 : 1;
    return found.sort((a, b) => named(a) - named(b) || a.createdAt - b.createdAt)[0];
  }

  /** The filter with the hash of the visitor's id. */
  resolveFilter(tenant: string, { visitorId, ...filter }: ConversationFilter): ConversationFilter {
    if (visitorId === undefined) return filter;
    const visitor = visitorId === "" ? "" : visitorHash(this.#content, tenant, visitorId);
    return { ...filter, visitor };
  }

  /** The last updated first; of one agent or of one visitor, if given. */
  list(
    tenant: string,
    { agentId, visitorId, ...page }: PageRequest & {
      agentId?: string | undefined;
      visitorId?: string | undefined;
    },
  ): Promise<Page<Conversation>> {
    const prefix = visitorId !== undefined
      ? keys.conversationsByVisitor(tenant, visitorHash(this.#content, tenant, visitorId))
      : agentId === undefined
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

  /** Whom its sessions were minted for; `undefined` without a name, or if it cannot be decrypted. */
  async readVisitorId(
    tenant: string,
    { visitor }: Pick<Conversation, "visitor">,
  ): Promise<string | undefined> {
    if (visitor === undefined) return undefined;
    try {
      return await unsealVisitorId(this.#content, { tenant, visitor });
    } catch (error) {
      if (error instanceof UnreadableContentError) return undefined;
      throw error;
    }
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

  /** The different ratings of the answers in a conversation. */
  ratingsOf({ rated }: Conversation): Rating[] {
    const current = currentRatings(rated, this.#runtime.now());
    return RATINGS.filter((rating) => current.some((run) => run.rating === rating));
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
      if (isFull) {
        return { runs: await this.#withFeedback(name, runs), next: Number(entry.key.at(-1)) };
      }
      if (row.exp <= this.#runtime.now()) continue;
      const transcript = await this.readTranscript(name.tenant, row);
      if (transcript === undefined) continue;
      runs.push({ n: Number(entry.key.at(-1)), row, transcript });
      bytes += row.bytes;
    }
    return { runs: await this.#withFeedback(name, runs) };
  }

  async #withFeedback(
    { tenant }: ConversationName,
    runs: readonly RunWithTranscript[],
  ): Promise<RunWithTranscript[]> {
    const of = { tenant, content: this.#content, now: this.#runtime.now() };
    const known = await readFeedbackOf(this.#kv, runs.map(({ row }) => row.runId), of);
    return runs.map((run, n) => ({ ...run, ...(known[n] && { feedback: known[n] }) }));
  }

  /** What was said in the first run of the current path; `undefined` if that has expired or is gone. */
  async readFirstRun(
    name: ConversationName,
    head: Pick<Conversation, "next" | "branches">,
  ): Promise<StoredTranscript | undefined> {
    const path = currentPath(head);
    const selector = {
      prefix: keys.conversationRuns(name),
      start: keys.conversationRun(name, path[0]?.[0] ?? 0),
    };
    for await (const entry of this.#kv.list(selector, { limit: 5, batchSize: 1 })) {
      if (!isOnPath(path, Number(entry.key.at(-1)))) continue;
      const row = parseRecord(runRowSchema, entry)!;
      if (row.exp > this.#runtime.now()) return await this.readTranscript(name.tenant, row);
    }
    return undefined;
  }

  /**
   * Deletes a conversation with its transcripts, attachments, runs and logs; sums of usage stay. What
   * the active runs among `running` have stored is deleted when they end.
   */
  async delete(name: ConversationName, running: readonly string[] = []): Promise<void> {
    const key = keys.conversation(name);
    await retryUntilCommitted(async () => {
      await deleteHandoff(this.#kv, name);
      const entry = await this.#kv.get(key);
      const head = parseRecord(conversationHeadSchema, entry);
      const conversation = head !== undefined && "id" in head ? head : undefined;
      if (conversation !== undefined) {
        await deleteRuns(this.#kv, { name, now: this.#runtime.now() });
      }
      await eraseConversationAttachments(this.#kv, name);
      const ids = [...new Set([...head?.gone ?? [], ...running])].slice(-MAX_TOMBSTONE_RUNS);
      const gone = await this.#filterActive(name.tenant, ids);
      const tombstone: ConversationTombstone = { v: 1, gone };
      const step = this.#kv.atomic().check(entry);
      if (gone.length === 0) step.delete(key);
      else step.set(key, tombstone, { expireIn: TOMBSTONE_TTL_MS });
      for (const index of conversation ? indexKeys(name, conversation) : []) step.delete(index);
      // A run that ended in between changed the head: the next attempt deletes it too.
      if (!(await step.commit()).ok) return undefined;
      // One without a frame changes no head, unless it finds itself in the tombstone.
      return (await this.#filterActive(name.tenant, gone)).length === gone.length || undefined;
    }, { what: "conversation" });
    // A hand-off that was asked for in between; from now on there is no conversation to ask in.
    await deleteHandoff(this.#kv, name);
  }

  /** All names, the least recently updated first. */
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
  listRunKeys(tenant: string, runId: string): Promise<Deno.KvKey[]> {
    return listRunKeys(this.#kv, { tenant, runId });
  }

  /**
   * What was said in a run; `undefined` if it is gone. One run that cannot be decrypted must not prevent
   * reading the others.
   */
  readTranscript(
    tenant: string,
    row: RunRow,
  ): Promise<StoredTranscript | undefined> {
    return readTranscript(this.#kv, { content: this.#content, tenant, row });
  }
}
