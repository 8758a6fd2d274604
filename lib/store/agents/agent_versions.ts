import { type AgentRecord, readVersionBytes } from "./agent_record.ts";
import { keys } from "../keys/keys.ts";
import { type QuotaUsage, StorageUsage, type UsageUpdate } from "../tenants/storage_usage.ts";

/** Keys that one step deletes: it takes 80 KB of keys, of about 110 bytes each. */
const MAX_KEYS_PER_DELETION = 500;
/** The same of a change, which also writes the agent and its indexes. */
const MAX_KEYS_PER_UPDATE = 300;

type AgentQuota = "agents" | "agentBytes";

/** What a tenant's agents and all their kept versions take. */
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

/** Earlier versions of agents: how they are forgotten, and what that gives back. */
export class AgentVersions {
  readonly #kv: Deno.Kv;

  constructor(kv: Deno.Kv) {
    this.#kv = kv;
  }

  /**
   * Adds to a change the deletion of the versions that the plan no longer keeps, and of as many more as
   * it takes to make room for `bytes`, the oldest first: history makes way for an edit.
   */
  async pruneOldest(
    change: Deno.AtomicOperation,
    { tenant, next, bytes, usage }: {
      tenant: string;
      next: AgentRecord;
      bytes: number;
      usage: UsageUpdate<AgentQuota>;
    },
  ): Promise<void> {
    const { id, version } = next;
    const oldestKept = version - usage.quotas.agentVersions + 1;
    let deleted = 0;
    // Nearly always only the first is read: it is kept, and there is room.
    const versions = this.#kv.list({ prefix: keys.agentVersions(tenant, id) }, { batchSize: 2 });
    for await (const entry of versions) {
      const n = Number(entry.key.at(-1));
      const isKept = n >= oldestKept && usage.remaining("agentBytes") >= bytes;
      if (isKept || deleted >= MAX_KEYS_PER_UPDATE) return;
      usage.add("agentBytes", -await readVersionBytes(this.#kv, entry));
      for (const key of [entry.key, ...await this.#chunkKeysOf({ tenant, id, version: n })]) {
        change.delete(key);
        deleted++;
      }
    }
  }

  /**
   * Adds to a deletion every version of the agent and as many parts of large ones as one step takes;
   * `left` are those beyond, which go right after, when nothing names them any more.
   */
  async deleteAll(
    gone: Deno.AtomicOperation,
    { tenant, id }: { tenant: string; id: string },
  ): Promise<{ bytes: number; left: Deno.KvKey[] }> {
    let bytes = 0;
    for await (const entry of this.#kv.list({ prefix: keys.agentVersions(tenant, id) })) {
      bytes += await readVersionBytes(this.#kv, entry);
      gone.delete(entry.key);
    }
    const parts = await this.#listKeys(keys.agentBodyChunks(tenant, id));
    for (const key of parts.splice(0, MAX_KEYS_PER_DELETION)) gone.delete(key);
    return { bytes, left: parts };
  }

  async deleteChunks(left: Deno.KvKey[]): Promise<void> {
    while (left.length > 0) {
      const change = this.#kv.atomic();
      for (const key of left.splice(0, MAX_KEYS_PER_DELETION)) change.delete(key);
      await change.commit();
    }
  }

  #chunkKeysOf(
    { tenant, id, version }: { tenant: string; id: string; version: number },
  ): Promise<Deno.KvKey[]> {
    return this.#listKeys(keys.agentVersionBodyChunks(tenant, id, version));
  }

  async #listKeys(prefix: Deno.KvKey): Promise<Deno.KvKey[]> {
    const found: Deno.KvKey[] = [];
    for await (const { key } of this.#kv.list({ prefix })) found.push(key);
    return found;
  }
}
