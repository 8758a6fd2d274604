import { readAgentRecord, toAgent } from "./agent_record.ts";
import {
  findByPrefix,
  type IndexHit,
  matchesName,
  tokenize,
  updateWordIndex,
} from "./agent_index.ts";
import { keys } from "../keys/keys.ts";
import { retryUntilCommitted } from "../values/record.ts";
import type { Agent } from "../../schemas/agent.ts";

/** Entries of the index that one search reads for a word, however many there are. */
const MAX_HITS_PER_WORD = 500;
/** Agents that are read at once. */
const BATCH_SIZE = 25;

/** What a search has found. */
export interface AgentSearchResult {
  /** Newest first. */
  data: Agent[];
  /** There may be others. */
  more: boolean;
}

/**
 * Agents whose names have a word beginning with each word of `query`, at most `limit` of them. Reads
 * at most five hundred entries of an index for each word, so ten thousand agents are searched like ten.
 */
export async function searchAgents(
  kv: Deno.Kv,
  tenant: string,
  { query, limit }: { query: string; limit: number },
): Promise<AgentSearchResult> {
  await backfillIndex(kv, tenant);
  const words = tokenize(query);
  const hits = await findRarestHits(kv, tenant, words);
  const data: Agent[] = [];
  const ids = newestFirst(hits);
  for (let at = 0; at < ids.length && data.length <= limit; at += BATCH_SIZE) {
    const read = await Promise.all(
      ids.slice(at, at + BATCH_SIZE).map((id) => readAgent(kv, tenant, id)),
    );
    data.push(
      ...read.filter((agent) => agent !== undefined && matchesName(agent.name, words)) as Agent[],
    );
  }
  const more = data.length > limit || hits.length === MAX_HITS_PER_WORD;
  return { data: data.slice(0, limit), more };
}

/** Every word must fit, so the rarest of them already tells who can be meant. */
async function findRarestHits(kv: Deno.Kv, tenant: string, words: string[]): Promise<IndexHit[]> {
  const all = await Promise.all(
    words.map((word) => findByPrefix(kv, tenant, { word, limit: MAX_HITS_PER_WORD })),
  );
  return all.sort((a, b) => a.length - b.length)[0] ?? [];
}

function newestFirst(hits: IndexHit[]): string[] {
  const sorted = hits.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
  return [...new Set(sorted.map(({ id }) => id))];
}

async function readAgent(kv: Deno.Kv, tenant: string, id: string): Promise<Agent | undefined> {
  const record = await readAgentRecord(kv, await kv.get(keys.agent(tenant, id)));
  return record && toAgent(record);
}

/** Agents that were made before there was an index are added to it, once, by the first search. */
async function backfillIndex(kv: Deno.Kv, tenant: string): Promise<void> {
  const mark = keys.agentWordIndexBuilt(tenant);
  if ((await kv.get(mark)).value !== null) return;
  for await (const { value } of kv.list<string>({ prefix: keys.agentsByCreated(tenant) })) {
    await retryUntilCommitted(() => indexAgent(kv, tenant, value), { what: "agent's words" });
  }
  await kv.set(mark, 1);
}

/** The check keeps a name that is being changed from being found by its old words for good. */
async function indexAgent(kv: Deno.Kv, tenant: string, id: string): Promise<true | undefined> {
  const entry = await kv.get(keys.agent(tenant, id));
  const record = await readAgentRecord(kv, entry);
  if (record === undefined) return true;
  const change = kv.atomic().check(entry);
  const { createdAt, body: { name } } = record;
  updateWordIndex(change, tenant, { now: { id, createdAt, name } });
  return (await change.commit()).ok ? true : undefined;
}
