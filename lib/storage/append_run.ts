import type { Draft } from "../committer/operation.ts";
import type { LiveRun } from "./live_run.ts";
import { endedWith, noteMarks } from "./conversation_index.ts";
import {
  type Conversation,
  type ConversationHead,
  isLive,
  type RunRow,
} from "./conversation_record.ts";
import { countRun } from "./conversation_usage.ts";
import { type ConversationName, keys } from "./keys.ts";

const DAY_MS = 86_400_000;
/** Words that are no more than this lie in the row itself. */
const SHORT_BYTES = 8 * 1024;
/** The mark of a deletion outlives every run that was under way, crashes included. */
export const DELETED_KEPT_MS = DAY_MS;
/** Twice what one call can repeat. */
const KNOWN_MESSAGES = 128;

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
  keyed: (digest: string) => string;
  /** Its words as encrypted parts, given the digests of what the conversation has already. */
  words: (known: readonly string[]) => Packed;
}

/** Words as parts of values, encrypted. */
export interface Packed {
  parts: readonly Uint8Array[];
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
export function appendRun(draft: Draft, run: AppendedRun): boolean {
  const { name, row } = run;
  const key = keys.conversation(name);
  const head = draft.get<ConversationHead>(key);
  if (leaveMark(draft, { name, runId: row.runId, days: run.days })) return false;
  const before = head !== undefined && "id" in head ? head : undefined;
  const known = isLive(before, row.endedAt) ? before : undefined;
  const next = grown(run, { known, n: before?.next ?? 0, gone: head?.gone });
  const expireIn = run.days * DAY_MS;
  if (before !== undefined) {
    for (const old of indexKeys(name, before.updatedAt)) draft.note(old, undefined);
  }
  const value = [name.id, name.agentId, name.page];
  for (const index of indexKeys(name, next.updatedAt)) draft.note(index, value, { expireIn });
  noteMarks(draft, { name, before, next, expireIn });
  noteRun(draft, run, { n: next.next - 1, known: known ? knownDigests(known, run.keyed) : [] });
  draft.set(key, next, { expireIn });
  return true;
}

/**
 * Takes a run that has ended off the mark of its conversation's deletion, and tells whether it was named
 * there; with the last of them a deletion leaves nothing at all.
 */
export function leaveMark(
  draft: Draft,
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
  else draft.set(key, { ...head, gone }, { expireIn: DELETED_KEPT_MS });
  return true;
}

/** Where the indexes name a conversation that was last added to at `updatedAt`. */
export function indexKeys(name: ConversationName, updatedAt: number): Deno.KvKey[] {
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
export function forgetRun(
  draft: Draft,
  runId: string,
  { name: { tenant }, parts, written }: Omit<Packed, "bytes"> & { name: ConversationName },
): void {
  const ahead = written ? parts.length : 0;
  for (let n = 0; n < ahead; n++) draft.note(keys.conversationPart(tenant, runId, n), undefined);
  const chunks = draft.get<LiveRun>(keys.liveRun(tenant, runId))?.log?.chunks ?? 0;
  for (let n = 0; n < chunks; n++) draft.note(keys.runChunk(tenant, runId, n), undefined);
  draft.note(keys.runHead(tenant, runId), undefined);
  draft.note(keys.run(tenant, runId), undefined);
}

function grown(
  { name, origin, days, row, digests, keyed }: AppendedRun,
  { known, n, gone }: {
    known: Conversation | undefined;
    n: number;
    gone: readonly string[] | undefined;
  },
): Conversation {
  // Clocks of processes differ: a conversation never goes back in the list.
  const updatedAt = Math.max(row.endedAt, known?.updatedAt ?? 0);
  const before = known === undefined ? [] : knownDigests(known, keyed);
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
    ...endedWith(known?.ended, row),
    next: n + 1,
    digests: [...new Set([...before, ...digests])].slice(-KNOWN_MESSAGES),
    known: [],
    ...(gone === undefined ? {} : { gone: [...gone] }),
    exp: updatedAt + days * DAY_MS,
  };
}

function noteRun(
  draft: Draft,
  { name, days, row, words }: AppendedRun,
  { n, known }: { n: number; known: readonly string[] },
): void {
  const { parts, bytes, written } = words(known);
  const expireIn = days * DAY_MS;
  const isShort = !written && bytes <= SHORT_BYTES;
  if (!written && !isShort) {
    parts.forEach((part, i) => {
      draft.note(keys.conversationPart(name.tenant, row.runId, i), part, { expireIn });
    });
  }
  const kept = isShort ? { words: parts[0]!, parts: 0 } : { parts: parts.length };
  const exp = row.endedAt + expireIn;
  const stored: RunRow = { v: 1, ...row, ...kept, bytes, counted: true, exp };
  countRun(draft, name.tenant, stored);
  draft.note(keys.conversationRun(name, n), stored, { expireIn });
}
