import { LRUCache } from "lru-cache";
import type { Runtime } from "../../platform/runtime.ts";
import { termsIn } from "../../schemas/search_terms.ts";
import {
  type RunRow,
  runRowSchema,
  type RunTranscript,
} from "../conversations/conversation_record.ts";
import type { ConversationStore } from "../conversations/conversation_store.ts";
import { recordFailedRun } from "../conversations/failed_runs.ts";
import type { ContentCipher } from "../encryption/content_cipher.ts";
import { type ConversationName, keys } from "../keys/keys.ts";
import { deletePrefixes, readMany } from "../values/chunks.ts";
import { parseRecord } from "../values/record.ts";
import { packHashes, SearchIndex } from "./search_index.ts";
import { type RecentRun, type SearchState, searchStateSchema } from "./search_records.ts";

/** Runs of one commit; a commit takes at most 100 checks. */
const MAX_RUNS = 50;
/** Different terms of one run. */
export const MAX_TERMS = 1_000;
/** Clocks of processes differ: conversations updated this long before the last pass are read again. */
const OVERLAP_MS = 120_000;
/** Conversations that are known to be indexed, so that the overlap costs nothing. */
const MAX_KNOWN = 10_000;

interface Found {
  name: ConversationName;
  entry: Deno.KvEntry<unknown>;
  row: RunRow;
}

interface Updated {
  name: ConversationName;
  at: number;
  /** Names this update of the conversation. */
  mark: string;
}

export interface SearchIndexingDeps {
  content: ContentCipher;
  runtime: Pick<Runtime, "now">;
  conversations: Pick<ConversationStore, "readTranscript">;
}

/**
 * Adds what was said to the search index: in the background, from the conversations that were updated
 * since the last pass. The first pass begins with the oldest, so it also indexes those of earlier
 * releases; every step may be the last.
 */
export class SearchIndexing {
  readonly #kv: Deno.Kv;
  readonly #deps: SearchIndexingDeps;
  readonly #index: SearchIndex;
  readonly #known = new LRUCache<string, true>({ max: MAX_KNOWN });

  constructor(kv: Deno.Kv, deps: SearchIndexingDeps) {
    this.#kv = kv;
    this.#deps = deps;
    this.#index = new SearchIndex(kv);
  }

  /** Indexes some more runs; false if there are no more. */
  async step(tenant: string): Promise<boolean> {
    const key = keys.searchState(tenant);
    const entry = await this.#kv.get(key);
    const state = parseRecord(searchStateSchema, entry) ?? this.#firstState(tenant);
    if (state.keyMark !== this.#keyMark(tenant)) return await this.#reset(tenant, entry);
    const { found, through, isDone } = await this.#findNew(tenant, state);
    if (found.length === 0 && through === state.through) return false;
    const recents = await Promise.all(found.map((one) => this.#toRecent(tenant, one)));
    const { now } = this.#deps.runtime;
    const step = this.#kv.atomic().check(entry);
    found.forEach((one, n) => {
      const expireIn = Math.max(1, one.row.exp - now());
      step.check(one.entry);
      step.set(keys.searchRecent(tenant, one.row.runId), recents[n]!, { expireIn });
      this.#backfillFailure(step, one, expireIn);
    });
    const recent = state.recent + found.length;
    step.set(key, { ...state, through, recent } satisfies SearchState);
    const { ok } = await step.commit();
    if (ok) await this.#index.merge(tenant, now());
    // If a run was deleted, or another process indexed some, the next step reads again.
    return !ok || !isDone;
  }

  /** Failed runs of early releases are listed from now on, like those of today. */
  #backfillFailure(
    step: Deno.AtomicOperation,
    { name, entry, row }: Found,
    expireIn: number,
  ): void {
    const n = Number(entry.key.at(-1));
    const blindWrite = (key: Deno.KvKey, value: unknown) => void step.set(key, value, { expireIn });
    recordFailedRun({ blindWrite }, { name, row, n, expireIn });
  }

  /** The next runs that are not indexed, oldest first. */
  async #findNew(
    tenant: string,
    { through }: SearchState,
  ): Promise<{ found: Found[]; through: number; isDone: boolean }> {
    const found: Found[] = [];
    let last = through;
    for await (const batch of this.#updatedSince(tenant, through - OVERLAP_MS)) {
      const newRuns = await Promise.all(batch.map(({ name }) => this.#newRuns(name)));
      for (const [n, runs] of newRuns.entries()) {
        const { mark, at } = batch[n]!;
        const room = MAX_RUNS - found.length;
        found.push(...runs.slice(0, room));
        if (runs.length > room) return { found, through: last, isDone: false };
        if (runs.length === 0) this.#known.set(mark, true);
        last = Math.max(last, at);
      }
      if (found.length === MAX_RUNS) return { found, through: last, isDone: false };
    }
    return { found, through: last, isDone: true };
  }

  /** Conversations that may have new runs, in the order of their last update. */
  async *#updatedSince(tenant: string, since: number): AsyncGenerator<Updated[]> {
    const prefix = keys.conversationsByUpdated(tenant);
    const start = [...prefix, Math.max(0, since)];
    const end = [...prefix, Number.MAX_SAFE_INTEGER];
    let batch: Updated[] = [];
    for await (const { key, value } of this.#kv.list<string[]>({ start, end })) {
      const at = Number(key[prefix.length]);
      const [id = "", agentId = "", page = ""] = value;
      const mark = `${tenant} ${id} ${agentId} ${page} ${at}`;
      if (this.#known.has(mark)) continue;
      batch.push({ name: { tenant, id, agentId, page }, at, mark });
      if (batch.length < MAX_RUNS) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }

  /** The runs of a conversation that are not indexed: those after the last one that is. */
  async #newRuns(name: ConversationName): Promise<Found[]> {
    const { tenant } = name;
    const found: Found[] = [];
    const rows = this.#kv.list({ prefix: keys.conversationRuns(name) }, {
      reverse: true,
      batchSize: 10,
    });
    for await (const entry of rows) {
      const row = parseRecord(runRowSchema, entry)!;
      const [recent, place] = await readMany(this.#kv, [
        keys.searchRecent(tenant, row.runId),
        keys.searchPlace(tenant, row.runId),
      ]);
      if (recent!.versionstamp !== null || place!.versionstamp !== null) break;
      if (row.exp > this.#deps.runtime.now()) found.unshift({ name, entry, row });
    }
    return found;
  }

  async #toRecent(tenant: string, { name, entry, row }: Found): Promise<RecentRun> {
    const { conversations, content } = this.#deps;
    const transcript = await conversations.readTranscript(tenant, row);
    const isReadable = transcript !== undefined && transcript !== "unreadable";
    const terms = isReadable ? termsIn(searchableText(transcript), MAX_TERMS) : [];
    const hash = termHasher(content, tenant);
    const { id, agentId, page } = name;
    return {
      ...{ v: 1, runId: row.runId, id, agentId, page, n: Number(entry.key.at(-1)) },
      ...{ at: row.endedAt, exp: row.exp, terms: packHashes([...terms].map(hash)) },
    };
  }

  #firstState(tenant: string): SearchState {
    return { v: 1, through: 0, next: 0, recent: 0, keyMark: this.#keyMark(tenant) };
  }

  /** The key of hashes was replaced: none of the old ones can be found. */
  async #reset(tenant: string, entry: Deno.KvEntryMaybe<unknown>): Promise<boolean> {
    await deletePrefixes(this.#kv, [
      keys.searchRecents(tenant),
      keys.searchSegments(tenant),
      keys.searchSpans(tenant),
      keys.tenantSearchBuckets(tenant),
      keys.searchPlaces(tenant),
    ]);
    return (await this.#kv.atomic().check(entry).set(entry.key, this.#firstState(tenant)).commit())
      .ok;
  }

  #keyMark(tenant: string): string {
    return this.#deps.content.shortDigest(`search key of ${tenant}`);
  }
}

/** What people and agents said in a run; tools' results are not searched. */
export function searchableText({ messages, text }: RunTranscript): string {
  return [...messages.map(({ content }) => content), text].join("\n");
}

/** Hashes of terms with the store's key, which differ between tenants. */
export function termHasher(
  content: Pick<ContentCipher, "shortDigest">,
  tenant: string,
): (term: string) => number {
  return (term) => {
    const digest = content.shortDigest(`search ${tenant} ${term}`);
    const bytes = Uint8Array.fromBase64(digest.slice(0, 8), { alphabet: "base64url" });
    return new DataView(bytes.buffer).getUint32(0);
  };
}
