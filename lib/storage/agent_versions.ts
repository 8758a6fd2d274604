import { type AgentRecord, versionBytes } from "./agent_record.ts";
import { keys } from "./keys.ts";
import { type HeldUsage, StorageUsage, type Used } from "./storage_usage.ts";

/** Keys that one step deletes: it takes 80 KB of keys, of about 110 bytes each. */
const KEYS_A_DELETION = 500;
/** The same of a change, which also writes the agent and its indexes. */
const KEYS_A_CHANGE = 300;

type AgentQuota = "agents" | "agentBytes";

/** What a tenant's agents and all their kept versions take. */
export function agentUsage(kv: Deno.Kv): StorageUsage<AgentQuota> {
  const count = async (tenant: string): Promise<Used<AgentQuota>> => {
    const used = { agents: 0, agentBytes: 0 };
    for await (const _ of kv.list({ prefix: keys.allAgents(tenant) })) used.agents++;
    for await (const entry of kv.list({ prefix: keys.allAgentVersions(tenant) })) {
      used.agentBytes += await versionBytes(kv, entry);
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
  async forgetOldest(
    change: Deno.AtomicOperation,
    { tenant, next, bytes, usage }: {
      tenant: string;
      next: AgentRecord;
      bytes: number;
      usage: HeldUsage<AgentQuota>;
    },
  ): Promise<void> {
    const { id, version } = next;
    const oldestKept = version - usage.quotas.agentVersions + 1;
    let deleted = 0;
    // Nearly always only the first is read: it is kept, and there is room.
    const versions = this.#kv.list({ prefix: keys.agentVersions(tenant, id) }, { batchSize: 2 });
    for await (const entry of versions) {
      const n = Number(entry.key.at(-1));
      const isKept = n >= oldestKept && usage.roomFor("agentBytes") >= bytes;
      if (isKept || deleted >= KEYS_A_CHANGE) return;
      usage.add("agentBytes", -await versionBytes(this.#kv, entry));
      for (const key of [entry.key, ...await this.#partsOf({ tenant, id, version: n })]) {
        change.delete(key);
        deleted++;
      }
    }
  }

  /**
   * Adds to a deletion every version of the agent and as many parts of large ones as one step takes;
   * `left` are those beyond, which go right after, when nothing names them any more.
   */
  async forgetAll(
    gone: Deno.AtomicOperation,
    { tenant, id }: { tenant: string; id: string },
  ): Promise<{ bytes: number; left: Deno.KvKey[] }> {
    let bytes = 0;
    for await (const entry of this.#kv.list({ prefix: keys.agentVersions(tenant, id) })) {
      bytes += await versionBytes(this.#kv, entry);
      gone.delete(entry.key);
    }
    const parts = await this.#keysUnder(keys.agentBodyParts(tenant, id));
    for (const key of parts.splice(0, KEYS_A_DELETION)) gone.delete(key);
    return { bytes, left: parts };
  }

  async deleteParts(left: Deno.KvKey[]): Promise<void> {
    while (left.length > 0) {
      const change = this.#kv.atomic();
      for (const key of left.splice(0, KEYS_A_DELETION)) change.delete(key);
      await change.commit();
    }
  }

  #partsOf(
    { tenant, id, version }: { tenant: string; id: string; version: number },
  ): Promise<Deno.KvKey[]> {
    return this.#keysUnder(keys.agentVersionParts(tenant, id, version));
  }

  async #keysUnder(prefix: Deno.KvKey): Promise<Deno.KvKey[]> {
    const found: Deno.KvKey[] = [];
    for await (const { key } of this.#kv.list({ prefix })) found.push(key);
    return found;
  }
}
