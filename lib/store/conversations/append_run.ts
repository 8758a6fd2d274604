import type { ConversationSource } from "../../schemas/conversation_source.ts";
import { type ConversationName, keys } from "../keys/keys.ts";
import type { ActiveRun } from "../runs/active_run.ts";
import type { RunCanary } from "../runs/run_record.ts";
import type { Transaction } from "../tx/operation.ts";
import type { VisitorRef } from "../visitors/visitor_ids.ts";
import { updateIndexes, withLastFinish } from "./conversation_index.ts";
import { branchesWithNext, parentOfNext, pathTo } from "./current_path.ts";
import {
  type Conversation,
  type ConversationHead,
  type InterruptedCall,
  isReadable,
  type RunRow,
} from "./conversation_record.ts";
import { addRunUsage } from "./conversation_usage.ts";
import { recordFailedRun } from "./failed_runs.ts";
import { currentRatings } from "./rated_runs.ts";
import { knownDigests, withDigests } from "./stored_messages.ts";

const DAY_MS = 86_400_000;
/** Transcripts up to this size are stored in the row itself. */
const MAX_INLINE_BYTES = 8 * 1024;
/** A tombstone outlives every run that was active at the deletion, even after a crash. */
export const TOMBSTONE_TTL_MS = DAY_MS;

/** More than this are not worth their place in every prompt. */
const MAX_INTERRUPTED_CALLS = 5;

/** A run to be added to its conversation. */
export interface AppendedRun {
  name: ConversationName;
  origin?: string | undefined;
  source?: ConversationSource | undefined;
  visitor?: VisitorRef | undefined;
  /** The sealed title of a new conversation. */
  title?: Uint8Array | undefined;
  /** The question, and the answer if there is one. */
  messages: number;
  /** Retention of the conversation, days. */
  days: number;
  row: Omit<RunRow, "v" | "words" | "parts" | "bytes" | "counted" | "exp">;
  /** Its calls, if its process died. */
  interruptedCalls?: readonly InterruptedCall[] | undefined;
  /** The number of the run that it replaces. */
  replaced?: number | undefined;
  canary?: RunCanary | undefined;
  /** Keyed digests of all its messages. */
  digests: readonly string[];
  /** Computes the keyed digest for one without a key. */
  keyDigest: (digest: string) => string;
  /** Packs the transcript without the messages whose digests are known. */
  packTranscript: (known: readonly string[]) => PackedTranscript;
}

/** A transcript as encrypted chunks. */
export interface PackedTranscript {
  chunks: readonly Uint8Array[];
  /** The size before encryption. */
  bytes: number;
  /** True if the chunks are stored already. */
  written: boolean;
}

/**
 * Adds a run to its conversation, or to a new one; false if the conversation was deleted since the run
 * started. The operation must include the key of the conversation and that of its usage.
 */
export function appendRun(tx: Transaction, run: AppendedRun): boolean {
  const { name, row } = run;
  const key = keys.conversation(name);
  const head = tx.get<ConversationHead>(key);
  if (clearTombstone(tx, { name, runId: row.runId, now: row.endedAt })) return false;
  const before = head !== undefined && "id" in head ? head : undefined;
  const known = isReadable(before, row.endedAt) ? before : undefined;
  const digests = known
    ? knownDigests(known, { keyed: run.keyDigest, replaced: run.replaced })
    : [];
  const state = { known, n: before?.next ?? 0, gone: head?.gone, knownDigests: digests };
  const next = nextConversation(run, state);
  const expireIn = next.exp - row.endedAt;
  updateIndexes(tx, { name, before, next, expireIn });
  writeRunRow(tx, run, { n: next.next - 1, known: digests });
  tx.set(key, next, { expireIn });
  return true;
}

/** The number that `appendRun` gives to the next run. */
export function nextRunNumber(tx: Pick<Transaction, "get">, name: ConversationName): number {
  const head = tx.get<ConversationHead>(keys.conversation(name));
  return head !== undefined && "id" in head ? head.next : 0;
}

/**
 * Removes an ended run from the tombstone of its conversation; false if it is not listed there. Removing
 * the last run deletes the tombstone.
 */
export function clearTombstone(
  tx: Transaction,
  { name, runId, now }: { name: ConversationName; runId: string; now: number },
): boolean {
  const key = keys.conversation(name);
  const head = tx.get<ConversationHead>(key);
  if (!head?.gone?.includes(runId)) return false;
  const gone = head.gone.filter((one) => one !== runId);
  if ("id" in head) {
    const { gone: _all, ...rest } = head;
    const expireIn = Math.max(1, head.exp - now);
    tx.set(key, gone.length === 0 ? rest : { ...rest, gone }, { expireIn });
  } else if (gone.length === 0) tx.delete(key);
  else tx.set(key, { ...head, gone }, { expireIn: TOMBSTONE_TTL_MS });
  return true;
}

/** Deletes what a settlement has written for a run whose conversation was deleted in between. */
export function discardRun(
  tx: Transaction,
  runId: string,
  { name: { tenant }, chunks, written }: Omit<PackedTranscript, "bytes"> & {
    name: ConversationName;
  },
): void {
  const logChunks = tx.get<ActiveRun>(keys.activeRun(tenant, runId))?.log?.chunks ?? 0;
  for (let n = 0; n < (written ? chunks.length : 0); n++) {
    tx.blindWrite(keys.transcriptChunk(tenant, runId, n), undefined);
  }
  for (let n = 0; n < logChunks; n++) tx.blindWrite(keys.runLogChunk(tenant, runId, n), undefined);
  tx.blindWrite(keys.runLogHead(tenant, runId), undefined);
  tx.blindWrite(keys.run(tenant, runId), undefined);
}

function nextConversation(
  run: AppendedRun,
  { known, n, gone, knownDigests }: {
    known: Conversation | undefined;
    n: number;
    gone: readonly string[] | undefined;
    /** Of what comes before the run. */
    knownDigests: readonly string[];
  },
): Conversation {
  const { name, source: runSource, visitor, days, row, digests, keyDigest: keyed } = run;
  // Clocks of processes differ: a conversation must not move back in the list.
  const updatedAt = Math.max(row.endedAt, known?.updatedAt ?? 0);
  const branches = known === undefined ? [] : branchesWithNext(known, run.replaced);
  const path = pathTo(n, branches);
  const source = known?.source ?? runSource;
  const rated = currentRatings(known?.rated, row.endedAt);
  return {
    v: 1,
    id: name.id,
    agentId: name.agentId,
    page: name.page,
    ...(run.origin === undefined ? {} : { origin: run.origin }),
    ...(source === undefined ? {} : { source }),
    ...(visitor === undefined ? {} : { visitor }),
    ...nextTitle(run, known),
    createdAt: known?.createdAt ?? row.startedAt,
    updatedAt,
    runs: (known?.runs ?? 0) + 1,
    ...(visitor === undefined ? {} : { messages: (known?.messages ?? 0) + run.messages }),
    cost: (known?.cost ?? 0) + row.cost,
    ...withLastFinish(known?.ended, row),
    ...(rated.length === 0 ? {} : { rated }),
    ...withInterrupted(known?.interruptedCalls, run.interruptedCalls),
    ...withCanary(run, known),
    next: n + 1,
    ...(branches.length === 0 ? {} : { branches }),
    ...withDigests(known, { digests, known: knownDigests, keyed, n, path }),
    ...(gone === undefined ? {} : { gone: [...gone] }),
    // After retention was shortened, earlier runs outlive later ones: the conversation leads to them.
    exp: Math.max(updatedAt + days * DAY_MS, known?.exp ?? 0),
  };
}

/** Of its first run that a canary divides: later ones get the same version. */
function withCanary(
  { canary }: AppendedRun,
  known: Conversation | undefined,
): Pick<Conversation, "canary"> {
  if (canary === undefined) return known?.canary ? { canary: known.canary } : {};
  return { canary: { id: canary.id, arm: canary.arm } };
}

function withInterrupted(
  known: readonly InterruptedCall[] = [],
  added: readonly InterruptedCall[] = [],
): Pick<Conversation, "interruptedCalls"> {
  const all = [...known, ...added].slice(-MAX_INTERRUPTED_CALLS);
  return all.length === 0 ? {} : { interruptedCalls: all };
}

/** The first question, also after it is changed, unless the visitor chose a title. */
function nextTitle(
  { title, replaced }: AppendedRun,
  known: Conversation | undefined,
): Pick<Conversation, "title" | "autoTitle"> {
  const first = known === undefined ? 0 : known.next - known.runs;
  const isFirst = known === undefined || parentOfNext(known, replaced) < first;
  if (isFirst && title !== undefined && (known === undefined || known.autoTitle)) {
    return { title, autoTitle: true };
  }
  if (known?.title === undefined) return {};
  return { title: known.title, ...known.autoTitle && { autoTitle: true } };
}

function writeRunRow(
  tx: Transaction,
  { name, days, row, packTranscript }: AppendedRun,
  { n, known }: { n: number; known: readonly string[] },
): void {
  const { chunks, bytes, written } = packTranscript(known);
  const expireIn = days * DAY_MS;
  const isInline = !written && bytes <= MAX_INLINE_BYTES;
  if (!written && !isInline) {
    chunks.forEach((chunk, i) => {
      tx.blindWrite(keys.transcriptChunk(name.tenant, row.runId, i), chunk, { expireIn });
    });
  }
  const transcript = isInline ? { words: chunks[0]!, parts: 0 } : { parts: chunks.length };
  const exp = row.endedAt + expireIn;
  const stored: RunRow = { v: 1, ...row, ...transcript, bytes, counted: true, exp };
  addRunUsage(tx, name.tenant, stored);
  tx.blindWrite(keys.conversationRun(name, n), stored, { expireIn });
  recordFailedRun(tx, { name, row, n, expireIn });
}
