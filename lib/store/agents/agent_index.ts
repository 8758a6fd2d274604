import { keys } from "../keys/keys.ts";
import type { AgentRecord } from "./agent_record.ts";
import { updatePublicAppearance } from "./public_appearance.ts";

/** Words of one name that are indexed: keeps the writes of one change small. */
const MAX_WORDS = 16;
const MAX_WORD_LENGTH = 32;
/** Sorts after every character, to end the range of words with a prefix. */
const MAX_CODE_POINT = "\u{10ffff}";

/** What the word index stores of an agent. */
export interface IndexedAgent {
  id: string;
  /** Milliseconds. */
  createdAt: number;
  name: string;
}

/** The words of a name or query, without case and accents. */
export function tokenize(text: string): string[] {
  const plain = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const words = plain.match(/[\p{L}\p{N}]+/gu) ?? [];
  const cut = words.map((word) => [...word].slice(0, MAX_WORD_LENGTH).join(""));
  return [...new Set(cut)].slice(0, MAX_WORDS);
}

/** True if each word of `query` is a prefix of a word of `name`. */
export function matchesName(name: string, query: readonly string[]): boolean {
  const words = tokenize(name);
  return query.every((prefix) => words.some((word) => word.startsWith(prefix)));
}

/** Adds to `step` the changes of all indexes when `before` becomes `now`. */
export function updateIndexes(
  step: Deno.AtomicOperation,
  tenant: string,
  { before, now, isDraft = false }: {
    before?: AgentRecord;
    now?: AgentRecord;
    /** Pages do not see it yet. */
    isDraft?: boolean;
  },
): void {
  const [oldWords, newWords] = [before, now].map((record) => record && toIndexedAgent(record));
  updateWordIndex(step, tenant, {
    ...oldWords && { before: oldWords },
    ...newWords && { now: newWords },
  });
  const [oldKey, newKey] = [before, now].map((record) => record && baseIndexKey(tenant, record));
  if (oldKey !== undefined) step.delete(oldKey);
  if (newKey !== undefined) step.set(newKey, now!.id);
  if (!isDraft) updatePublicAppearance(step, { ...before && { before }, ...now && { now } });
}

export function toIndexedAgent({ id, createdAt, body: { name } }: AgentRecord): IndexedAgent {
  return { id, createdAt, name };
}

/** Adds to `step` the changes of the word index when `before` becomes `now`. */
export function updateWordIndex(
  step: Deno.AtomicOperation,
  tenant: string,
  { before, now }: { before?: IndexedAgent; now?: IndexedAgent },
): void {
  const [old, fresh] = [before, now].map((agent) => new Set(agent ? tokenize(agent.name) : []));
  for (const word of old!.difference(fresh!)) {
    step.delete(keys.agentByWord(tenant, { word, at: before!.createdAt, id: before!.id }));
  }
  for (const word of fresh!.difference(old!)) {
    step.set(keys.agentByWord(tenant, { word, at: now!.createdAt, id: now!.id }), now!.id);
  }
}

function baseIndexKey(
  tenant: string,
  { id, createdAt, body: { knowledgeBaseId } }: AgentRecord,
): Deno.KvKey | undefined {
  if (knowledgeBaseId === undefined) return undefined;
  return keys.agentByBase(tenant, knowledgeBaseId, { at: createdAt, id });
}

/** An agent found by a word. */
export type IndexHit = { id: string; createdAt: number };

/** Up to `limit` agents with a word that begins with `word`; of equal words the newest first. */
export async function findByPrefix(
  kv: Deno.Kv,
  tenant: string,
  { word, limit }: { word: string; limit: number },
): Promise<IndexHit[]> {
  const start = [...keys.agentsByWord(tenant), word];
  const end = [...keys.agentsByWord(tenant), word + MAX_CODE_POINT];
  const rows = kv.list<string>({ start, end }, { limit, batchSize: 500, reverse: true });
  return await Array.fromAsync(rows, ({ key, value }) => ({
    id: value,
    createdAt: Number(key.at(-2)),
  }));
}
