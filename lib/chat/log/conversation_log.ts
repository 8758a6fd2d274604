import type { GroupCommitter } from "../../store/tx/group_committer.ts";
import type { Transaction } from "../../store/tx/operation.ts";
import type { ProcessShard } from "../../billing/process_shard.ts";
import type { SettleHook } from "../../billing/decide_settlement.ts";
import {
  type AppendedRun,
  appendRun,
  clearTombstone,
  discardRun,
  nextRunNumber,
  type PackedTranscript,
} from "../../store/conversations/append_run.ts";
import { type ContentCipher, contentContexts } from "../../store/encryption/content_cipher.ts";
import {
  type ConversationHead,
  conversationName,
  type InterruptedCall,
  isReadable,
  type StoredMessage,
} from "../../store/conversations/conversation_record.ts";
import { releaseAttachments } from "../../store/attachments/attachment_eraser.ts";
import { knownDigests } from "../../store/conversations/stored_messages.ts";
import { conversationUsageKey } from "../../store/conversations/conversation_usage.ts";
import { sealTitle, titleOf } from "../../store/conversations/conversation_title.ts";
import { ConversationStore } from "../../store/conversations/conversation_store.ts";
import { type ConversationName, keys } from "../../store/keys/keys.ts";
import { gapReasons, recordUnanswered } from "../../store/unanswered/unanswered_record.ts";
import { sealVisitorId, type VisitorRef } from "../../store/visitors/visitor_ids.ts";
import { type Chunk, totalBytes } from "../../store/values/chunks.ts";
import type { Runtime } from "../../platform/runtime.ts";
import {
  conversationSource,
  isFailed,
  type RunEnd,
  type RunFacts,
} from "../../store/runs/run_record.ts";
import type { Frame } from "../../schemas/frames.ts";
import { clearInput, type PendingConversation } from "../run_input.ts";
import type { ConversationQuota } from "./conversation_quota.ts";
import { createTranscriptEntry, type TranscriptEntry } from "./transcript_entry.ts";

const DAY_MS = 24 * 60 * 60_000;
/** Larger transcripts are written before the commit that settles their run, which takes 800 KB in all. */
const MAX_SETTLED_BYTES = 96 * 1024;
const CHUNKS_PER_COMMIT = 8;
/** A head with all its digests, with a margin for the long keys of the commit. */
const HEAD_BYTES = 8_192;

interface EndedRun {
  facts: RunFacts;
  end: RunEnd;
  frames: readonly Frame[];
  /** Its calls, if its process died. */
  interruptedCalls?: readonly InterruptedCall[] | undefined;
  /** What the models thought; blank or absent for nothing. */
  reasoning?: string;
}

export interface ConversationLogDeps {
  kv: Deno.Kv;
  committer: GroupCommitter;
  runtime: Runtime;
  content: ContentCipher;
  /** Keeps conversations within the plan; without it there is always capacity. */
  quota?: Pick<ConversationQuota, "hasCapacity" | "recordStored">;
  /** Indexes what was said; without it nothing is indexed. */
  indexer?: { note(tenant: string): void };
  /** The usage shard that this process writes; by default the first one. */
  shard?: Pick<ProcessShard, "number">;
}

/** Adds runs to their conversations, in the commits that settle them. */
export class ConversationLog {
  readonly #deps: ConversationLogDeps;
  readonly #store: ConversationStore;
  readonly #keyDigest: (digest: string) => string;

  constructor(deps: ConversationLogDeps) {
    this.#deps = deps;
    this.#store = new ConversationStore(deps.kv, deps);
    this.#keyDigest = (digest) => deps.content.shortDigest(digest);
  }

  hasCapacity(tenant: string): boolean {
    return this.#deps.quota?.hasCapacity(tenant) ?? true;
  }

  /**
   * Adds a run to its conversation in the commit that settles it. A run that ended before its first frame
   * is added only if it failed: usage counts it as an error, and people look for it.
   */
  async settleHook(pending: PendingConversation, run: EndedRun): Promise<SettleHook> {
    const { input, isNew } = pending;
    const { facts, end, frames, interruptedCalls, reasoning } = run;
    const name = await conversationName(facts.conversationId, { ...facts, origin: input.origin });
    const key = keys.conversation(name);
    const freshKeys = isNew ? [key] : [];
    if (frames.length === 0 && !isFailed(end.finishReason)) {
      const write = (transaction: Transaction) => {
        clearInput(transaction, facts, pending);
        const tombstone = { name, runId: facts.runId, now: this.#deps.runtime.now() };
        if (clearTombstone(transaction, tombstone)) {
          discardRun(transaction, facts.runId, { name, chunks: [], written: false });
        }
      };
      const afterCommit = () =>
        this.#release(name, { runId: facts.runId, messages: input.messages });
      return { keys: [key], freshKeys, estimatedBytes: 0, write, afterCommit };
    }
    const keyDigest = this.#keyDigest;
    const answer = { frames, ...reasoning && { reasoning } };
    const entry = await createTranscriptEntry(input.messages, { ...answer, keyed: keyDigest });
    const { days, origin, visitorId } = input;
    const visitor = this.#sealVisitor(facts, visitorId);
    const title = visitor && sealTitle(this.#deps.content, name, titleOf(input.messages));
    const replaced = facts.replaces?.n;
    const place = { name, runId: facts.runId, replaced, days };
    const packTranscript = await this.#packTranscript(entry, place);
    const endedAt = this.#deps.runtime.now();
    const shard = this.#deps.shard?.number ?? 0;
    const gap = {
      ...{ question: input.messages.at(-1)!.content, at: endedAt, days },
      coverage: end.coverage,
      reasons: gapReasons(end.coverage, frames),
      content: this.#deps.content,
    };
    let isDeleted = false;
    return {
      keys: [key, conversationUsageKey(facts.tenant, endedAt, shard)],
      freshKeys,
      // The record expires with the transcript, so that deleting the conversation leaves nothing behind.
      retentionMs: days * DAY_MS,
      page: name.page,
      numberIn: (transaction) => nextRunNumber(transaction, name),
      estimatedBytes: HEAD_BYTES + Math.min(entry.bytes, MAX_SETTLED_BYTES),
      write: (transaction, { charged }) => {
        clearInput(transaction, facts, pending);
        const row = toRow(facts, { end, endedAt, cost: charged, shard });
        const of = { name, origin, visitor, title, source: conversationSource(facts.source), days };
        const { digests, messages } = entry;
        const appended = {
          ...{ ...of, row, replaced, messages, digests, keyDigest, packTranscript },
          canary: facts.canary,
          interruptedCalls,
        };
        isDeleted = !appendRun(transaction, appended);
        if (!isDeleted) recordUnanswered(transaction, facts, gap);
        if (isDeleted) discardRun(transaction, row.runId, { name, ...packTranscript([]) });
      },
      afterCommit: async ({ late }) => {
        // If this fails, what was written ahead stays until it expires; no one can read it.
        if (late || isDeleted) await this.#deleteWrittenAhead(facts).catch(() => {});
        else {
          this.#deps.quota?.recordStored(facts.tenant, entry.bytes);
          this.#deps.indexer?.note(facts.tenant);
        }
      },
    };
  }

  /** If this fails, the attachments stay as long as the conversation would have. */
  async #release(
    name: ConversationName,
    { runId, messages }: { runId: string; messages: readonly StoredMessage[] },
  ): Promise<void> {
    const ids = messages.flatMap(({ attachments = [] }) => attachments.map(({ id }) => id));
    await releaseAttachments(this.#deps.kv, name, { runId, ids }).catch(() => {});
  }

  #sealVisitor(
    { tenant, visitor: hash }: RunFacts,
    id: string | undefined,
  ): VisitorRef | undefined {
    if (hash === undefined || id === undefined) return undefined;
    return sealVisitorId(this.#deps.content, { tenant, hash, id });
  }

  /**
   * Deletes what was written ahead for a deleted conversation, possibly by another process. A run with a
   * record is part of a conversation, whose deletion covers it.
   */
  async #deleteWrittenAhead({ tenant, runId }: RunFacts): Promise<void> {
    const { kv, committer } = this.#deps;
    const { versionstamp } = await kv.get(keys.run(tenant, runId));
    if (versionstamp !== null) return;
    const deleted = await this.#store.listRunKeys(tenant, runId);
    await committer.run({
      keys: [],
      decide: (transaction) => deleted.forEach((key) => transaction.blindWrite(key, undefined)),
    });
  }

  /** Small transcripts are written with the commit, large ones now: the commit makes them visible. */
  async #packTranscript(
    entry: TranscriptEntry,
    { name, runId, replaced, days }:
      & Pick<AppendedRun, "name" | "replaced" | "days">
      & Pick<RunFacts, "runId">,
  ): Promise<AppendedRun["packTranscript"]> {
    const { kv, content, runtime } = this.#deps;
    const { tenant } = name;
    const context = (n: number) => contentContexts.transcript(tenant, runId, n);
    const seal = sealOnce((chunks) => chunks.map((one, n) => content.sealSync(one, context(n))));
    if (entry.bytes <= MAX_SETTLED_BYTES) {
      return (known) => ({ ...seal(entry.encode(known)), written: false });
    }
    try {
      const head = (await kv.get<ConversationHead>(keys.conversation(name))).value;
      const isLive = head !== null && isReadable(head, runtime.now());
      const keyed = this.#keyDigest;
      const plain = entry.encode(isLive ? knownDigests(head, { keyed, replaced }) : []);
      const chunks = await Promise.all(plain.map((one, n) => content.seal(one, context(n))));
      await this.#writeAhead(chunks, { tenant, runId, days });
      return () => ({ chunks, bytes: totalBytes(plain), written: true });
    } catch {
      // An unavailable store must not delay the settlement beyond its recovery.
      return () => ({ ...seal(entry.encodeShortened()), written: false });
    }
  }

  async #writeAhead(
    chunks: readonly Uint8Array[],
    { tenant, runId, days }: { tenant: string; runId: string; days: number },
  ): Promise<void> {
    const expireIn = days * DAY_MS;
    for (let first = 0; first < chunks.length; first += CHUNKS_PER_COMMIT) {
      const some = chunks.slice(first, first + CHUNKS_PER_COMMIT);
      await this.#deps.committer.run({
        keys: [],
        estimatedBytes: totalBytes(some),
        decide(transaction) {
          some.forEach((chunk, n) => {
            transaction.blindWrite(keys.transcriptChunk(tenant, runId, first + n), chunk, {
              expireIn,
            });
          });
        },
      });
    }
  }
}

/** Encrypts a transcript once, even if its commit is retried. */
function sealOnce(
  seal: (chunks: readonly Chunk[]) => Uint8Array[],
): (plain: readonly Chunk[]) => Omit<PackedTranscript, "written"> {
  let last: { plain: readonly Chunk[]; chunks: Uint8Array[] } | undefined;
  return (plain) => {
    if (last?.plain !== plain) last = { plain, chunks: seal(plain) };
    return { chunks: last.chunks, bytes: totalBytes(plain) };
  };
}

function toRow(
  { runId, agentVersion, startedAt, source: { protocol }, replaces }: RunFacts,
  { end, endedAt, cost, shard }: { end: RunEnd; endedAt: number; cost: number; shard: number },
): AppendedRun["row"] {
  const { provider, model, inputTokens, outputTokens, finishReason, errorCode, guardrails } = end;
  const { cachedInputTokens, cacheWriteTokens, reasoningTokens } = end;
  return {
    ...{ runId, agentVersion, startedAt, endedAt, provider, model },
    ...{ inputTokens, outputTokens, cost, finishReason },
    ...(cachedInputTokens === undefined ? {} : { cachedInputTokens }),
    ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
    ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
    ...(errorCode === undefined ? {} : { errorCode }),
    ...(guardrails === undefined ? {} : { guardrails }),
    ...(shard === 0 ? {} : { shard }),
    ...(protocol === undefined ? {} : { protocol }),
    ...(replaces === undefined ? {} : { replaces: replaces.runId }),
  };
}
