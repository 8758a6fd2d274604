import type { Transaction } from "../tx/operation.ts";
import type { ActiveRun } from "../runs/active_run.ts";
import { updateTagIndex, withLastFinish } from "./conversation_index.ts";
import {
  type Conversation,
  type ConversationHead,
  isReadable,
  type RunRow,
} from "./conversation_record.ts";
import { addRunUsage } from "./conversation_usage.ts";
import { type ConversationName, keys } from "../keys/keys.ts";

const DAY_MS = 86_400_000;
/** Words that are no more than this lie in the row itself. */
const MAX_INLINE_BYTES = 8 * 1024;
/** The mark of a deletion outlives every run that was under way, crashes included. */
export const TOMBSTONE_TTL_MS = DAY_MS;
/** Twice what one call can repeat. */
const MAX_KNOWN_DIGESTS = 128;

/** A run to be added to its conversation. */
export interface AppendedRun {
  name: ConversationName;
  origin?: string | undefined;
  /** How long what was said is kept, days. */
  days: number;
  row: Omit<RunRow, "v" | "words" | "parts" | "bytes" | "counted" | "exp">;
  /** Keyed digests of all its messages. */
  digests: readonly string[];
  /** The keyed digest for one without a key. */
  keyDigest: (digest: string) => string;
  /** Its words as encrypted parts, given the digests of what the conversation has already. */
  packTranscript: (known: readonly string[]) => PackedTranscript;
}

/** Words as parts of values, encrypted. */
export interface PackedTranscript {
  chunks: readonly Uint8Array[];
  /** How many bytes they were before that. */
  bytes: number;
  /** They are in the store already. */
  written: boolean;
}

/**
 * Adds a run to its conversation, which begins with it where there is none; `false` when somebody has
 * deleted the conversation since the run began. The operation must name the key of the conversation,
 * and that of the usage which counts the run.
 */
export function appendRun(draft: Transaction, run: AppendedRun): boolean {
  const { name, row } = run;
  const key = keys.conversation(name);
  const head = draft.get<ConversationHead>(key);
  if (clearTombstone(draft, { name, runId: row.runId, days: run.days })) return false;
  const before = head !== undefined && "id" in head ? head : undefined;
  const known = isReadable(before, row.endedAt) ? before : undefined;
  const next = nextConversation(run, { known, n: before?.next ?? 0, gone: head?.gone });
  const expireIn = run.days * DAY_MS;
  if (before !== undefined) {
    for (const old of conversationIndexKeys(name, before.updatedAt)) {
      draft.blindWrite(old, undefined);
    }
  }
  const value = [name.id, name.agentId, name.page];
  for (const index of conversationIndexKeys(name, next.updatedAt)) {
    draft.blindWrite(index, value, { expireIn });
  }
  updateTagIndex(draft, { name, before, next, expireIn });
  writeRunRow(draft, run, {
    n: next.next - 1,
    known: known ? knownDigests(known, run.keyDigest) : [],
  });
  draft.set(key, next, { expireIn });
  return true;
}

/**
 * Takes a run that has ended off the mark of its conversation's deletion, and tells whether it was named
 * there; with the last of them a deletion leaves nothing at all.
 */
export function clearTombstone(
  draft: Transaction,
  { name, runId, days }: { name: ConversationName; runId: string; days: number },
): boolean {
  const key = keys.conversation(name);
  const head = draft.get<ConversationHead>(key);
  if (!head?.gone?.includes(runId)) return false;
  const gone = head.gone.filter((one) => one !== runId);
  if ("id" in head) {
    const { gone: _all, ...rest } = head;
    const expireIn = days * DAY_MS;
    draft.set(key, gone.length === 0 ? rest : { ...rest, gone }, { expireIn });
  } else if (gone.length === 0) draft.delete(key);
  else draft.set(key, { ...head, gone }, { expireIn: TOMBSTONE_TTL_MS });
  return true;
}

/** Where the indexes name a conversation that was last added to at `updatedAt`. */
export function conversationIndexKeys(name: ConversationName, updatedAt: number): Deno.KvKey[] {
  return [keys.conversationByUpdated(name, updatedAt), keys.conversationByAgent(name, updatedAt)];
}

/** Keyed digests of the messages that a conversation has, those of earlier versions among them. */
export function knownDigests(
  { digests = [], known }: Pick<Conversation, "digests" | "known">,
  keyed: (digest: string) => string,
): string[] {
  return [...known.map(keyed), ...digests];
}

/** Takes back what a settlement has noted of a run whose conversation was deleted meanwhile. */
export function discardRun(
  draft: Transaction,
  runId: string,
  { name: { tenant }, chunks: parts, written }: Omit<PackedTranscript, "bytes"> & {
    name: ConversationName;
  },
): void {
  const ahead = written ? parts.length : 0;
  for (let n = 0; n < ahead; n++) {
    draft.blindWrite(keys.transcriptChunk(tenant, runId, n), undefined);
  }
  const chunks = draft.get<ActiveRun>(keys.activeRun(tenant, runId))?.log?.chunks ?? 0;
  for (let n = 0; n < chunks; n++) draft.blindWrite(keys.runLogChunk(tenant, runId, n), undefined);
  draft.blindWrite(keys.runLogHead(tenant, runId), undefined);
  draft.blindWrite(keys.run(tenant, runId), undefined);
}

function nextConversation(
  { name, origin, days, row, digests, keyDigest }: AppendedRun,
  { known, n, gone }: {
    known: Conversation | undefined;
    n: number;
    gone: readonly string[] | undefined;
  },
): Conversation {
  // Clocks of processes differ: a conversation never goes back in the list.
  const updatedAt = Math.max(row.endedAt, known?.updatedAt ?? 0);
  const before = known === undefined ? [] : knownDigests(known, keyDigest);
  return {
    v: 1,
    id: name.id,
    agentId: name.agentId,
    page: name.page,
    ...(origin === undefined ? {} : { origin }),
    createdAt: known?.createdAt ?? row.startedAt,
    updatedAt,
    runs: (known?.runs ?? 0) + 1,
    cost: (known?.cost ?? 0) + row.cost,
    ...withLastFinish(known?.ended, row),
    next: n + 1,
    digests: [...new Set([...before, ...digests])].slice(-MAX_KNOWN_DIGESTS),
    known: [],
    ...(gone === undefined ? {} : { gone: [...gone] }),
    exp: updatedAt + days * DAY_MS,
  };
}

function writeRunRow(
  draft: Transaction,
  { name, days, row, packTranscript }: AppendedRun,
  { n, known }: { n: number; known: readonly string[] },
): void {
  const { chunks, bytes, written } = packTranscript(known);
  const expireIn = days * DAY_MS;
  const isShort = !written && bytes <= MAX_INLINE_BYTES;
  if (!written && !isShort) {
    chunks.forEach((part, i) => {
      draft.blindWrite(keys.transcriptChunk(name.tenant, row.runId, i), part, { expireIn });
    });
  }
  const kept = isShort ? { words: chunks[0]!, parts: 0 } : { parts: chunks.length };
  const exp = row.endedAt + expireIn;
  const stored: RunRow = { v: 1, ...row, ...kept, bytes, counted: true, exp };
  addRunUsage(draft, name.tenant, stored);
  draft.blindWrite(keys.conversationRun(name, n), stored, { expireIn });
}
