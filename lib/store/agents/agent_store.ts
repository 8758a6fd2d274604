import { canonicalJson } from "../../platform/canonical_json.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { Agent, AgentBody } from "../../schemas/agent.ts";
import type { ShownAgent } from "../../schemas/appearance.ts";
import { recordChange } from "../audit/audit_record.ts";
import { keys } from "../keys/keys.ts";
import type { StorageUsage } from "../tenants/storage_usage.ts";
import type { KvReader } from "../tx/read_transaction.ts";
import { deleteKeys } from "../values/chunks.ts";
import { deleteMemoriesOfAgent } from "../visitors/memory_store.ts";
import { type Page, type PageRequest, readEntryPage, readPage } from "../values/page.ts";
import { type CommitStep, commitStep, CorruptRecordError } from "../values/record.ts";
import { updateIndexes } from "./agent_index.ts";
import { type AgentRecord, readAgentRecord, setAgentRecord, toAgent } from "./agent_record.ts";
import { type AgentSearchResult, searchAgents } from "./agent_search.ts";
import { readPublicAppearance } from "./public_appearance.ts";
import { deleteShare } from "./share_store.ts";
import { servedVersion, type StoredCanary } from "./stored_publication.ts";
import { agentStorageUsage, deleteOldVersions, deleteVersions } from "./agent_versions.ts";

/** The changed agent, or why it was not changed. */
export type AgentChangeResult =
  | { agent: Agent }
  | { rejected: "not_found" }
  | { rejected: "version_conflict"; version: number };

/** The version that visitors get, and the canary that divides their conversations. */
export interface ServedAgent {
  agent: Agent;
  canary?: StoredCanary | undefined;
}

/** The version that a change expects: one of `ifMatch`, if given, and none of `ifNoneMatch`. */
export interface Precondition {
  ifMatch?: readonly number[] | undefined;
  ifNoneMatch?: readonly number[] | "any" | undefined;
}

/** Agents of all tenants; every method takes the tenant first and sees only that tenant's agents. */
export class AgentStore {
  #kv: Deno.Kv;
  #runtime: Runtime;
  #usage: StorageUsage<"agents" | "agentBytes">;

  constructor(kv: Deno.Kv, runtime: Runtime) {
    this.#kv = kv;
    this.#runtime = runtime;
    this.#usage = agentStorageUsage(kv);
  }

  /**
   * Throws `ApiError`: 413 if the agent is larger than the store takes, 403 beyond the plan's quotas.
   * `commit` may add to the step.
   */
  async create(
    tenant: string,
    body: AgentBody,
    options: { commit?: CommitStep<Agent> | undefined } = {},
  ): Promise<Agent> {
    const now = this.#runtime.now();
    const id = this.#runtime.uuid();
    const record: AgentRecord = { v: 1, id, createdAt: now, updatedAt: now, version: 1, body };
    const agent = toAgent(record);
    return await this.#usage.change(tenant, async (usage) => {
      const step = this.#kv.atomic()
        .check({ key: keys.agent(tenant, id), versionstamp: null })
        .set(keys.agentByCreated(tenant, now, id), id);
      const bytes = setAgentRecord(step, tenant, record);
      usage.add("agents", 1);
      usage.add("agentBytes", bytes);
      usage.writeTo(step);
      const target = { id, name: body.name };
      const what = { kind: "agent", action: "create", target, after: body } as const;
      recordChange(step, this.#runtime, { tenant, ...what });
      updateIndexes(step, tenant, { now: record });
      return await (options.commit ?? commitStep)(step, agent) ? agent : undefined;
    });
  }

  async get(tenant: string, id: string, reader?: KvReader): Promise<Agent | undefined> {
    return await this.#read(keys.agent(tenant, id), reader);
  }

  /**
   * The version that visitors get. Reads more than `get` only while there is a draft. A draft is never
   * served instead of a published version that cannot be read.
   */
  async getServed(tenant: string, id: string, reader?: KvReader): Promise<Agent | undefined> {
    return (await this.getServedWithCanary(tenant, id, reader))?.agent;
  }

  /** Like `getServed`. */
  async getServedWithCanary(
    tenant: string,
    id: string,
    reader: KvReader = this.#kv,
  ): Promise<ServedAgent | undefined> {
    const record = await readAgentRecord(this.#kv, await reader.get(keys.agent(tenant, id)));
    if (record === undefined) return undefined;
    const canary = record.publication?.canary;
    const version = servedVersion(record);
    if (version === record.version) return { agent: toAgent(record), canary };
    const agent = await this.#read(keys.agentVersion(tenant, id, version), reader);
    if (agent !== undefined) return { agent, canary };
    // The agent was deleted between the two reads, or its version is lost.
    if ((await this.#kv.get(keys.agent(tenant, id))).value === null) return undefined;
    throw new CorruptRecordError("the published version of an agent is not stored");
  }

  /** What pages may read of any tenant's agent. */
  publicAppearance(id: string): Promise<ShownAgent | undefined> {
    return readPublicAppearance(this.#kv, id);
  }

  /** Newest first. */
  list(tenant: string, page: PageRequest): Promise<Page<Agent>> {
    const load = (id: string) => this.get(tenant, id);
    return readPage(this.#kv, keys.agentsByCreated(tenant), { ...page, load });
  }

  /** The agents that use a knowledge base, newest first. */
  listByBase(tenant: string, base: string, page: PageRequest): Promise<Page<Agent>> {
    const load = (id: string) => this.get(tenant, id);
    return readPage(this.#kv, keys.agentsByBase(tenant, base), { ...page, load });
  }

  /** Finds agents by the words of their names; see `searchAgents`. */
  search(tenant: string, find: { query: string; limit: number }): Promise<AgentSearchResult> {
    return searchAgents(this.#kv, tenant, find);
  }

  async getVersion(
    tenant: string,
    id: string,
    version: number,
    reader?: KvReader,
  ): Promise<Agent | undefined> {
    return await this.#read(keys.agentVersion(tenant, id, version), reader);
  }

  /** The stored versions, newest first. */
  listVersions(tenant: string, id: string, page: PageRequest): Promise<Page<Agent>> {
    const load = async (entry: Deno.KvEntry<unknown>) => {
      const record = await readAgentRecord(this.#kv, entry);
      return record && toAgent(record);
    };
    return readEntryPage(this.#kv, keys.agentVersions(tenant, id), { ...page, load });
  }

  /**
   * Replaces the body with what `change` returns for the current one, in one atomic step; `change` may
   * throw to reject. An equal body keeps the version. Old versions of the agent are deleted if the quota
   * needs it; throws `ApiError` 403 only if that is not enough.
   */
  update(
    tenant: string,
    id: string,
    options: { change: (body: AgentBody) => AgentBody } & Precondition,
  ): Promise<AgentChangeResult> {
    return this.#usage.change(tenant, async (usage): Promise<AgentChangeResult | undefined> => {
      const entry = await this.#kv.get(keys.agent(tenant, id));
      const current = await readAgentRecord(this.#kv, entry);
      if (current === undefined) return { rejected: "not_found" };
      if (!isMet(options, current)) return versionConflict(current);
      const body = options.change(current.body);
      if (canonicalJson(body) === canonicalJson(current.body)) return { agent: toAgent(current) };
      const now = this.#runtime.now();
      const next = { ...current, body, version: current.version + 1, updatedAt: now };
      const step = this.#kv.atomic().check(entry);
      const bytes = setAgentRecord(step, tenant, next);
      await deleteOldVersions(this.#kv, step, { tenant, next, bytes, usage });
      usage.add("agentBytes", bytes);
      usage.writeTo(step);
      const isDraft = servedVersion(next) !== next.version;
      updateIndexes(step, tenant, { before: current, now: next, isDraft });
      recordChange(step, this.#runtime, {
        tenant,
        kind: "agent",
        action: "change",
        target: { id, name: body.name },
        before: { ...current.body, version: current.version },
        after: { ...body, version: next.version },
      });
      return await commitStep(step) ? { agent: toAgent(next) } : undefined;
    });
  }

  /**
   * Deletes the agent, its index entries and its versions in one step, except the chunks of large bodies
   * beyond the first 500 and what it remembers about visitors: those are deleted afterwards, when no
   * record refers to them.
   */
  delete(tenant: string, id: string, options: Precondition = {}): Promise<AgentChangeResult> {
    return this.#usage.change(tenant, async (usage): Promise<AgentChangeResult | undefined> => {
      const entry = await this.#kv.get(keys.agent(tenant, id));
      const current = await readAgentRecord(this.#kv, entry);
      if (current === undefined) return { rejected: "not_found" };
      if (!isMet(options, current)) return versionConflict(current);
      const step = this.#kv.atomic()
        .check(entry)
        .delete(entry.key)
        .delete(keys.agentByCreated(tenant, current.createdAt, id));
      updateIndexes(step, tenant, { before: current });
      // What pages read may be of an earlier version, which has an appearance.
      if (current.publication !== undefined) step.delete(keys.appearance(id));
      const { bytes, remaining } = await deleteVersions(this.#kv, step, { tenant, id });
      usage.add("agents", -1);
      usage.add("agentBytes", -bytes);
      usage.writeTo(step);
      const target = { id, name: current.body.name };
      const what = { kind: "agent", action: "delete", target, before: current.body } as const;
      recordChange(step, this.#runtime, { tenant, ...what });
      await deleteShare(this.#kv, step, { tenant, agentId: id });
      if (!(await step.commit()).ok) return undefined;
      await deleteKeys(this.#kv, remaining);
      // No run of a deleted agent remembers anything, so nothing is added meanwhile.
      await deleteMemoriesOfAgent(this.#kv, { tenant, agentId: id });
      return { agent: toAgent(current) };
    });
  }

  async #read(key: Deno.KvKey, reader: KvReader = this.#kv): Promise<Agent | undefined> {
    const record = await readAgentRecord(this.#kv, await reader.get(key));
    return record && toAgent(record);
  }
}

function isMet({ ifMatch, ifNoneMatch }: Precondition, { version }: AgentRecord): boolean {
  const isMatch = ifMatch === undefined || ifMatch.includes(version);
  return isMatch && ifNoneMatch !== "any" && !ifNoneMatch?.includes(version);
}

function versionConflict({ version }: AgentRecord): AgentChangeResult {
  return { rejected: "version_conflict", version };
}
