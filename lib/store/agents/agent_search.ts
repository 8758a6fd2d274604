import type { Agent } from "../../schemas/agent.ts";
import { keys } from "../keys/keys.ts";
import { retryUntilCommitted } from "../values/record.ts";
import {
  findByPrefix,
  type IndexHit,
  matchesName,
  toIndexedAgent,
  tokenize,
  updateWordIndex,
} from "./agent_index.ts";
import { readAgentRecord, toAgent } from "./agent_record.ts";

/** Index entries that one search reads per word, whatever the size of the index. */
const MAX_HITS_PER_WORD = 500;
/** Agents that are read at once. */
const BATCH_SIZE = 25;

export interface AgentSearchResult {
  /** Newest first. */
  data: Agent[];
  /** True if there may be other matches. */
  more: boolean;
}

/**
 * Finds up to `limit` agents whose name has, for each word of `query`, a word that begins with it. Reads
 * at most 500 index entries per word, so searching ten thousand agents costs the same as searching ten.
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
    const batch = ids.slice(at, at + BATCH_SIZE);
    const agents = await Promise.all(batch.map((id) => readAgent(kv, tenant, id)));
    data.push(
      ...agents.filter((agent) => agent !== undefined && matchesName(agent.name, words)) as Agent[],
    );
  }
  const more = data.length > limit || hits.length === MAX_HITS_PER_WORD;
  return { data: data.slice(0, limit), more };
}

/** Every word must match, so the hits of the rarest word include all results. */
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

/** The first search adds the agents of releases without the index. */
async function backfillIndex(kv: Deno.Kv, tenant: string): Promise<void> {
  const marker = keys.agentWordIndexBuilt(tenant);
  if ((await kv.get(marker)).value !== null) return;
  for await (const { value } of kv.list<string>({ prefix: keys.agentsByCreated(tenant) })) {
    await retryUntilCommitted(() => indexAgent(kv, tenant, value), { what: "agent's words" });
  }
  await kv.set(marker, 1);
}

/** The check prevents indexing the old name of an agent that is being renamed. */
async function indexAgent(kv: Deno.Kv, tenant: string, id: string): Promise<true | undefined> {
  const entry = await kv.get(keys.agent(tenant, id));
  const record = await readAgentRecord(kv, entry);
  if (record === undefined) return true;
  const step = kv.atomic().check(entry);
  updateWordIndex(step, tenant, { now: toIndexedAgent(record) });
  return (await step.commit()).ok || undefined;
}
