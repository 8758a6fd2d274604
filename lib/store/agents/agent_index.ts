import { keys } from "../keys/keys.ts";
import type { AgentRecord } from "./agent_record.ts";

/** Of one name; its other words do not find it. Keeps what one change writes small. */
const MAX_WORDS = 16;
const MAX_WORD_LENGTH = 32;
/** Sorts behind every character, so that it ends the range of what begins with a word. */
const MAX_CODE_POINT = "\u{10ffff}";

/** What the index of one agent is made of. */
export interface IndexedAgent {
  id: string;
  /** Milliseconds. */
  createdAt: number;
  name: string;
}

/** The words of a name or of a query as they are compared: without case and accents. */
export function tokenize(text: string): string[] {
  const plain = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const words = plain.match(/[\p{L}\p{N}]+/gu) ?? [];
  const cut = words.map((word) => [...word].slice(0, MAX_WORD_LENGTH).join(""));
  return [...new Set(cut)].slice(0, MAX_WORDS);
}

/** Whether each word of `query` begins a word of `name`. */
export function matchesName(name: string, query: readonly string[]): boolean {
  const words = tokenize(name);
  return query.every((part) => words.some((word) => word.startsWith(part)));
}

/** Adds to `change` what finds `now` by its words, and takes away what found it as `before`. */
export function updateWordIndex(
  change: Deno.AtomicOperation,
  tenant: string,
  { before, now }: { before?: IndexedAgent; now?: IndexedAgent },
): void {
  const [old, fresh] = [before, now].map((one) => new Set(one ? tokenize(one.name) : []));
  for (const word of old!.difference(fresh!)) {
    change.delete(keys.agentByWord(tenant, { word, at: before!.createdAt, id: before!.id }));
  }
  for (const word of fresh!.difference(old!)) {
    change.set(keys.agentByWord(tenant, { word, at: now!.createdAt, id: now!.id }), now!.id);
  }
}

/** An agent that a word has found. */
export interface IndexHit {
  id: string;
  createdAt: number;
}

/** Those with a word that begins with `word`, at most `limit`: of the same word the newest. */
export async function findByPrefix(
  kv: Deno.Kv,
  tenant: string,
  { word, limit }: { word: string; limit: number },
): Promise<IndexHit[]> {
  const start = [...keys.agentsByWord(tenant), word];
  const end = [...keys.agentsByWord(tenant), word + MAX_CODE_POINT];
  const hits: IndexHit[] = [];
  const options = { limit, batchSize: 500, reverse: true };
  for await (const { key, value } of kv.list<string>({ start, end }, options)) {
    hits.push({ id: value, createdAt: Number(key.at(-2)) });
  }
  return hits;
}

/** Adds to `change` what tells that `now` answers from its knowledge base, as `before` did from its own. */
export function updateBaseIndex(
  change: Deno.AtomicOperation,
  tenant: string,
  { before, now }: { before?: AgentRecord; now?: AgentRecord },
): void {
  const [old, fresh] = [before, now].map((record) => record && baseIndexKey(tenant, record));
  if (old !== undefined) change.delete(old);
  if (fresh !== undefined && now !== undefined) change.set(fresh, now.id);
}

function baseIndexKey(
  tenant: string,
  { id, createdAt, body }: AgentRecord,
): Deno.KvKey | undefined {
  const { knowledgeBaseId } = body;
  if (knowledgeBaseId === undefined) return undefined;
  return keys.agentByBase(tenant, knowledgeBaseId, { at: createdAt, id });
}
