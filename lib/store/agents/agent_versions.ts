import { keys } from "../keys/keys.ts";
import { type QuotaUsage, StorageUsage, type UsageUpdate } from "../tenants/storage_usage.ts";
import { listKeys } from "../values/chunks.ts";
import { type AgentRecord, readVersionBytes } from "./agent_record.ts";
import { versionsInUse } from "./stored_publication.ts";

/** One step deletes at most 80 KB of keys, of about 110 bytes each. */
const MAX_KEYS_PER_DELETION = 500;
/** The same for an update, which also writes the agent and its indexes. */
const MAX_KEYS_PER_UPDATE = 300;

type AgentQuota = "agents" | "agentBytes";

/** The storage used by a tenant's agents and all their stored versions. */
export function agentStorageUsage(kv: Deno.Kv): StorageUsage<AgentQuota> {
  const count = async (tenant: string): Promise<QuotaUsage<AgentQuota>> => {
    const used = { agents: 0, agentBytes: 0 };
    for await (const _ of kv.list({ prefix: keys.allAgents(tenant) })) used.agents++;
    for await (const entry of kv.list({ prefix: keys.allAgentVersions(tenant) })) {
      used.agentBytes += await readVersionBytes(kv, entry);
    }
    return used;
  };
  return new StorageUsage(kv, { area: "agents", count });
}

/**
 * Adds to an update the deletion of the versions beyond the plan's limit, and of as many more, oldest
 * first, as it takes to make room for the `bytes` of `next`. Those that visitors get stay.
 */
export async function deleteOldVersions(
  kv: Deno.Kv,
  step: Deno.AtomicOperation,
  { tenant, next, bytes, usage }: {
    tenant: string;
    next: AgentRecord;
    bytes: number;
    usage: UsageUpdate<AgentQuota>;
  },
): Promise<void> {
  const { id, version } = next;
  const oldest = version - usage.quotas.agentVersions + 1;
  const inUse = versionsInUse(next);
  let deleted = 0;
  // Usually the loop ends at the first version: it stays, and there is room.
  const versions = kv.list({ prefix: keys.agentVersions(tenant, id) }, { batchSize: 2 });
  for await (const entry of versions) {
    const n = Number(entry.key.at(-1));
    if (inUse.includes(n)) continue;
    const stays = n >= oldest && usage.remaining("agentBytes") >= bytes;
    if (stays || deleted >= MAX_KEYS_PER_UPDATE) return;
    usage.add("agentBytes", -await readVersionBytes(kv, entry));
    const chunks = await listKeys(kv, keys.agentVersionBodyChunks(tenant, id, n));
    for (const key of [entry.key, ...chunks]) step.delete(key);
    deleted += 1 + chunks.length;
  }
}

/**
 * Adds to a deletion every version of the agent and as many of their chunks as one step takes. The caller
 * deletes `remaining`, the other chunks, afterwards, when no record refers to them.
 */
export async function deleteVersions(
  kv: Deno.Kv,
  step: Deno.AtomicOperation,
  { tenant, id }: { tenant: string; id: string },
): Promise<{ bytes: number; remaining: Deno.KvKey[] }> {
  let bytes = 0;
  for await (const entry of kv.list({ prefix: keys.agentVersions(tenant, id) })) {
    bytes += await readVersionBytes(kv, entry);
    step.delete(entry.key);
  }
  const chunks = await listKeys(kv, keys.agentBodyChunks(tenant, id));
  for (const key of chunks.splice(0, MAX_KEYS_PER_DELETION)) step.delete(key);
  return { bytes, remaining: chunks };
}
