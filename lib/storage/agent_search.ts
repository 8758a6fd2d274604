import { openAgentRecord, toAgent } from "./agent_record.ts";
import { type Hit, hitsOf, indexWords, isNamed, wordsOf } from "./agent_words.ts";
import { keys } from "./keys.ts";
import { untilCommitted } from "./record.ts";
import type { Agent } from "../wire/agent.ts";

/** Entries of the index that one search reads for a word, however many there are. */
const MAX_HITS = 500;
/** Agents that are read at once. */
const BATCH = 25;

/** What a search has found. */
export interface AgentsFound {
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
): Promise<AgentsFound> {
  await indexOnce(kv, tenant);
  const words = wordsOf(query);
  const hits = await fewestHits(kv, tenant, words);
  const data: Agent[] = [];
  const ids = newestFirst(hits);
  for (let at = 0; at < ids.length && data.length <= limit; at += BATCH) {
    const read = await Promise.all(ids.slice(at, at + BATCH).map((id) => load(kv, tenant, id)));
    data.push(
      ...read.filter((agent) => agent !== undefined && isNamed(agent.name, words)) as Agent[],
    );
  }
  const more = data.length > limit || hits.length === MAX_HITS;
  return { data: data.slice(0, limit), more };
}

/** Every word must fit, so the rarest of them already tells who can be meant. */
async function fewestHits(kv: Deno.Kv, tenant: string, words: string[]): Promise<Hit[]> {
  const all = await Promise.all(
    words.map((word) => hitsOf(kv, tenant, { word, limit: MAX_HITS })),
  );
  return all.sort((a, b) => a.length - b.length)[0] ?? [];
}

function newestFirst(hits: Hit[]): string[] {
  const sorted = hits.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
  return [...new Set(sorted.map(({ id }) => id))];
}

async function load(kv: Deno.Kv, tenant: string, id: string): Promise<Agent | undefined> {
  const record = await openAgentRecord(kv, await kv.get(keys.agent(tenant, id)));
  return record && toAgent(record);
}

/** Agents that were made before there was an index are added to it, once, by the first search. */
async function indexOnce(kv: Deno.Kv, tenant: string): Promise<void> {
  const mark = keys.agentWordsBuilt(tenant);
  if ((await kv.get(mark)).value !== null) return;
  for await (const { value } of kv.list<string>({ prefix: keys.agentsByCreated(tenant) })) {
    await untilCommitted(() => indexOne(kv, tenant, value), { what: "agent's words" });
  }
  await kv.set(mark, 1);
}

/** The check keeps a name that is being changed from being found by its old words for good. */
async function indexOne(kv: Deno.Kv, tenant: string, id: string): Promise<true | undefined> {
  const entry = await kv.get(keys.agent(tenant, id));
  const record = await openAgentRecord(kv, entry);
  if (record === undefined) return true;
  const change = kv.atomic().check(entry);
  const { createdAt, body: { name } } = record;
  indexWords(change, tenant, { now: { id, createdAt, name } });
  return (await change.commit()).ok ? true : undefined;
}
