import type { GroupCommitter } from "../store/tx/group_committer.ts";
import type { Transaction } from "../store/tx/operation.ts";
import type { StartHook } from "../billing/decide_run.ts";
import type { ActiveRun } from "../store/runs/active_run.ts";
import type { ProcessShard } from "../billing/process_shard.ts";
import type { SettleHook } from "../billing/decide_settlement.ts";
import {
  type AppendedRun,
  appendRun,
  clearTombstone,
  discardRun,
  knownDigests,
  type PackedTranscript,
} from "../store/conversations/append_run.ts";
import { type ContentCipher, contentContexts } from "../store/encryption/content_cipher.ts";
import {
  type ConversationHead,
  conversationName,
  isReadable,
} from "../store/conversations/conversation_record.ts";
import { conversationUsageKey } from "../store/conversations/conversation_usage.ts";
import { ConversationStore } from "../store/conversations/conversation_store.ts";
import { type ConversationName, keys } from "../store/keys/keys.ts";
import { type Chunk, joinChunks, totalBytes } from "../store/values/chunks.ts";
import type { Runtime } from "../platform/runtime.ts";
import { isFailed, type RunEnd, type RunFacts } from "../store/runs/run_record.ts";
import type { Frame } from "../schemas/frames.ts";
import {
  decodeRequestMessages,
  encodeRequestMessages,
  type RequestMessages,
} from "./request_messages.ts";
import type { ConversationQuota } from "./conversation_quota.ts";
import { createTranscriptEntry, type TranscriptEntry } from "./transcript_entry.ts";

/** For whoever settles a run whose process died; one that nobody settles for a day is forgotten. */
const ASKED_KEPT_MS = 24 * 60 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
/** What is claimed beyond this is lost in a crash: admission must stay one commit. */
const ASKED_BYTES = 192 * 1024;
/** What is no longer than this is kept with the run itself, which is written again as its log grows. */
const SHORT_BYTES = 4 * 1024;
/** Words beyond this are written before the commit that settles their run, which takes 800 KB in all. */
const SETTLED_BYTES = 96 * 1024;
const PARTS_A_COMMIT = 8;
/** A head with all its digests; and more, because a commit has little room for as many long keys. */
const HEAD_BYTES = 8_192;

/** A run that will be told of in a conversation. */
export interface PendingConversation {
  asked: RequestMessages;
  /** How many keys of their own that has in the store. */
  parts: number;
  /** The conversation's id was drawn for this run. */
  isNew: boolean;
}

/** How such a run ended. */
interface EndedRun {
  facts: RunFacts;
  end: RunEnd;
  frames: readonly Frame[];
}

export interface ConversationLogDeps {
  kv: Deno.Kv;
  committer: GroupCommitter;
  runtime: Runtime;
  content: ContentCipher;
  /** Keeps conversations within the plan; without it there is always room. */
  space?: Pick<ConversationQuota, "hasCapacity" | "recordStored">;
  /** The shard of usage that this process writes; the first one unless given. */
  shard?: Pick<ProcessShard, "number">;
}

/** Adds runs to their conversations, in the commits that begin and settle them. */
export class ConversationLog {
  readonly #kv: Deno.Kv;
  readonly #committer: GroupCommitter;
  readonly #runtime: Runtime;
  readonly #content: ContentCipher;
  readonly #store: ConversationStore;
  readonly #space: ConversationLogDeps["space"];
  readonly #shard: ConversationLogDeps["shard"];

  constructor(parts: ConversationLogDeps) {
    this.#kv = parts.kv;
    this.#committer = parts.committer;
    this.#runtime = parts.runtime;
    this.#content = parts.content;
    this.#store = new ConversationStore(parts.kv, parts);
    this.#space = parts.space;
    this.#shard = parts.shard;
  }

  /** Whether the plan has room for new messages. */
  hasCapacity(tenant: string): boolean {
    return this.#space?.hasCapacity(tenant) ?? true;
  }

  /** What is kept of a message while its run goes on, to be noted in the commit that lets it in. */
  async startHook(
    facts: RunFacts,
    of: Omit<PendingConversation, "parts">,
  ): Promise<ConversationStartHook> {
    const { tenant, runId } = facts;
    const content = this.#content;
    const whole = encodeRequestMessages(of.asked);
    const parts = totalBytes(whole) <= ASKED_BYTES
      ? whole
      : encodeRequestMessages({ ...of.asked, messages: of.asked.messages.slice(-1) });
    if (totalBytes(parts) <= SHORT_BYTES) {
      const asked = content.sealSync(parts[0]!, contentContexts.input(tenant, runId));
      return { conversation: { ...of, parts: 0 }, state: { asked }, estimatedBytes: SHORT_BYTES };
    }
    const sealed = await Promise.all(
      parts.map((part, n) => content.seal(part, contentContexts.inputChunk(tenant, runId, n))),
    );
    const conversation = { ...of, parts: parts.length };
    return {
      conversation,
      state: {},
      estimatedBytes: totalBytes(parts),
      undo: (draft) => clear(draft, facts, conversation),
      write(draft) {
        sealed.forEach((part, n) => {
          draft.blindWrite(keys.runInputChunk(tenant, runId, n), part, { expireIn: ASKED_KEPT_MS });
        });
      },
    };
  }

  /**
   * The same of a process that died; `undefined` where nothing of it is kept. Throws
   * `CorruptRecordError` for what is no message or does not decrypt.
   */
  async findPending({ run, asked }: ActiveRun): Promise<PendingConversation | undefined> {
    const { tenant, runId } = run;
    const content = this.#content;
    if (asked !== undefined) {
      const bytes = await content.unseal(asked, contentContexts.input(tenant, runId));
      return { asked: decodeRequestMessages(bytes), parts: 0, isNew: false };
    }
    const prefix = keys.runInputChunks(tenant, runId);
    const entries = await Array.fromAsync(this.#kv.list<Uint8Array>({ prefix }));
    if (entries.length === 0) return undefined;
    const parts = await Promise.all(
      entries.map(({ value }, n) =>
        content.unseal(value, contentContexts.inputChunk(tenant, runId, n))
      ),
    );
    return { asked: decodeRequestMessages(joinChunks(parts)), parts: entries.length, isNew: false };
  }

  /**
   * Adds a run to its conversation in the commit that settles it, one of whose keys is the run's. One
   * that ended before its first frame is added only if it failed: usage counts it as an error, and
   * people look for it.
   */
  async settleHook(conversation: PendingConversation, run: EndedRun): Promise<SettleHook> {
    const { asked, isNew } = conversation;
    const { facts, end, frames } = run;
    const name = await conversationName(facts.conversationId, { ...facts, origin: asked.origin });
    const key = keys.conversation(name);
    const drawn = isNew ? [key] : [];
    if (frames.length === 0 && !isFailed(end.finishReason)) {
      const { runId } = facts;
      const write = (draft: Transaction) => {
        clear(draft, facts, conversation);
        const isGone = clearTombstone(draft, { name, runId, days: asked.days });
        if (isGone) discardRun(draft, runId, { name, chunks: [], written: false });
      };
      return { keys: [key], freshKeys: drawn, estimatedBytes: 0, write };
    }
    const said = await createTranscriptEntry(asked.messages, { frames, keyed: this.#keyed });
    const words = await this.#words(said, { name, runId: facts.runId, days: asked.days });
    const endedAt = this.#runtime.now();
    let isForgotten = false;
    const shard = this.#shard?.number ?? 0;
    const usageKey = conversationUsageKey(facts.tenant, endedAt, shard);
    return {
      keys: [key, usageKey],
      freshKeys: drawn,
      // Its record goes with its words: a conversation that is deleted later leaves none behind.
      retentionMs: asked.days * DAY_MS,
      estimatedBytes: HEAD_BYTES + Math.min(said.bytes, SETTLED_BYTES),
      write: (draft, { charged }) => {
        clear(draft, facts, conversation);
        const row = rowOf(facts, { end, endedAt, cost: charged, shard });
        const { days, origin } = asked;
        const { digests } = said;
        const appended = {
          name,
          origin,
          days,
          row,
          digests,
          keyDigest: this.#keyed,
          packTranscript: words,
        };
        isForgotten = !appendRun(draft, appended);
        if (isForgotten) discardRun(draft, row.runId, { name, ...words([]) });
      },
      afterCommit: async ({ late }) => {
        // A store that is away keeps what nobody can see until it expires.
        if (late || isForgotten) await this.#forgetLeft(facts).catch(() => {});
        else this.#space?.recordStored(facts.tenant, said.bytes);
      },
    };
  }

  /**
   * Removes what was written ahead for a deleted conversation, be it by somebody else who was to settle
   * the run. One that has a record is in a conversation, whose deletion finds all of it.
   */
  async #forgetLeft({ tenant, runId }: RunFacts): Promise<void> {
    const { versionstamp } = await this.#kv.get(keys.run(tenant, runId));
    if (versionstamp !== null) return;
    const gone = await this.#store.listRunKeys(tenant, runId);
    await this.#committer.run({
      keys: [],
      decide: (draft) => gone.forEach((key) => draft.blindWrite(key, undefined)),
    });
  }

  /** Words that one commit can hold are written with it, larger ones now: the commit makes them seen. */
  async #words(
    said: TranscriptEntry,
    { name, runId, days }: { name: ConversationName; runId: string; days: number },
  ): Promise<AppendedRun["packTranscript"]> {
    const { tenant } = name;
    const content = this.#content;
    const place = (n: number) => contentContexts.transcript(tenant, runId, n);
    const seal = once((parts) => parts.map((part, n) => content.sealSync(part, place(n))));
    if (said.bytes <= SETTLED_BYTES) {
      return (known) => ({ ...seal(said.encode(known)), written: false });
    }
    try {
      const head = (await this.#kv.get<ConversationHead>(keys.conversation(name))).value;
      const live = head !== null && isReadable(head, this.#runtime.now()) ? head : undefined;
      const plain = said.encode(live === undefined ? [] : knownDigests(live, this.#keyed));
      const parts = await Promise.all(plain.map((part, n) => content.seal(part, place(n))));
      await this.#write(parts, { tenant, runId, days });
      return () => ({ chunks: parts, bytes: totalBytes(plain), written: true });
    } catch {
      // A store that is away must not keep the run from being settled as soon as it is back.
      return () => ({ ...seal(said.encodeShortened()), written: false });
    }
  }

  readonly #keyed = (digest: string) => this.#content.shortDigest(digest);

  async #write(
    parts: readonly Uint8Array[],
    { tenant, runId, days }: { tenant: string; runId: string; days: number },
  ): Promise<void> {
    const expireIn = days * DAY_MS;
    for (let at = 0; at < parts.length; at += PARTS_A_COMMIT) {
      const some = parts.slice(at, at + PARTS_A_COMMIT);
      await this.#committer.run({
        keys: [],
        estimatedBytes: totalBytes(some),
        decide(draft) {
          some.forEach((part, n) => {
            draft.blindWrite(keys.transcriptChunk(tenant, runId, at + n), part, { expireIn });
          });
        },
      });
    }
  }
}

/** What begins with a run that will be told of. */
interface ConversationStartHook extends StartHook {
  conversation: PendingConversation;
  estimatedBytes: number;
}

/** Encrypts a transcript once, even if its commit is retried. */
function once(
  seal: (parts: readonly Chunk[]) => Uint8Array[],
): (plain: readonly Chunk[]) => Omit<PackedTranscript, "written"> {
  let last: { plain: readonly Chunk[]; parts: Uint8Array[] } | undefined;
  return (plain) => {
    if (last?.plain !== plain) last = { plain, parts: seal(plain) };
    return { chunks: last.parts, bytes: totalBytes(plain) };
  };
}

function clear(
  draft: Transaction,
  { tenant, runId }: RunFacts,
  { parts }: PendingConversation,
): void {
  for (let n = 0; n < parts; n++) draft.blindWrite(keys.runInputChunk(tenant, runId, n), undefined);
}

function rowOf(
  facts: RunFacts,
  { end, endedAt, cost, shard }: { end: RunEnd; endedAt: number; cost: number; shard: number },
): AppendedRun["row"] {
  return {
    runId: facts.runId,
    agentVersion: facts.agentVersion,
    startedAt: facts.startedAt,
    endedAt,
    provider: end.provider,
    model: end.model,
    inputTokens: end.inputTokens,
    outputTokens: end.outputTokens,
    cost,
    finishReason: end.finishReason,
    ...(end.errorCode === undefined ? {} : { errorCode: end.errorCode }),
    ...(shard === 0 ? {} : { shard }),
  };
}
