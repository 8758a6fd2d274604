import { canonicalJson } from "../../platform/canonical_json.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { Agent, AgentBody } from "../../schemas/agent.ts";
import { type IndexedAgent, updateBaseIndex, updateWordIndex } from "./agent_index.ts";
import { type AgentRecord, readAgentRecord, setAgentRecord, toAgent } from "./agent_record.ts";
import { recordChange } from "../audit/audit_record.ts";
import { type AgentSearchResult, searchAgents } from "./agent_search.ts";
import type { KvReader } from "../tx/view.ts";
import { keys } from "../keys/keys.ts";
import { agentStorageUsage, AgentVersions } from "./agent_versions.ts";
import { type Page, type PageRequest, readEntryPage, readPage } from "../values/page.ts";
import { type CommitStep, commitStep } from "../values/record.ts";
import type { StorageUsage } from "../tenants/storage_usage.ts";

/** What came of a change: the agent, or why there is none. */
export type AgentChangeResult =
  | { agent: Agent }
  | { refused: "not_found" }
  | { refused: "version_conflict"; version: number };

/**
 * A change goes ahead only on one of the versions `ifMatch`, and on none of `ifNoneMatch`, where they are
 * given.
 */
export interface Precondition {
  ifMatch?: readonly number[] | undefined;
  ifNoneMatch?: readonly number[] | "any" | undefined;
}

/** Agents of all tenants; every method takes the tenant first and sees nothing outside it. */
export class AgentStore {
  #kv: Deno.Kv;
  #runtime: Runtime;
  #versions: AgentVersions;
  #usage: StorageUsage<"agents" | "agentBytes">;

  constructor(kv: Deno.Kv, runtime: Runtime) {
    this.#kv = kv;
    this.#runtime = runtime;
    this.#versions = new AgentVersions(kv);
    this.#usage = agentStorageUsage(kv);
  }

  /**
   * Throws `ApiError`: 413 when the agent is larger than the store takes, 403 when the plan has no room
   * for it. `commit` may add to the step.
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
      const creation = this.#kv.atomic()
        .check({ key: keys.agent(tenant, id), versionstamp: null })
        .set(keys.agentByCreated(tenant, now, id), id);
      const bytes = setAgentRecord(creation, tenant, record);
      usage.add("agents", 1);
      usage.add("agentBytes", bytes);
      usage.writeTo(creation);
      const target = { id, name: body.name };
      const what = { kind: "agent", action: "create", target, after: body } as const;
      recordChange(creation, this.#runtime, { tenant, ...what });
      updateWordIndex(creation, tenant, { now: toIndexedAgent(record) });
      updateBaseIndex(creation, tenant, { now: record });
      return await (options.commit ?? commitStep)(creation, agent) ? agent : undefined;
    });
  }

  async get(tenant: string, id: string, reader?: KvReader): Promise<Agent | undefined> {
    return await this.#read(keys.agent(tenant, id), reader);
  }

  /** Newest first. */
  list(tenant: string, page: PageRequest): Promise<Page<Agent>> {
    const load = (id: string) => this.get(tenant, id);
    return readPage(this.#kv, keys.agentsByCreated(tenant), { ...page, load });
  }

  /** Those that answer from a knowledge base, newest first. */
  listByBase(tenant: string, base: string, page: PageRequest): Promise<Page<Agent>> {
    const load = (id: string) => this.get(tenant, id);
    return readPage(this.#kv, keys.agentsByBase(tenant, base), { ...page, load });
  }

  /** Found by the words of their names; see `searchAgents`. */
  search(tenant: string, find: { query: string; limit: number }): Promise<AgentSearchResult> {
    return searchAgents(this.#kv, tenant, find);
  }

  async getVersion(tenant: string, id: string, version: number): Promise<Agent | undefined> {
    return await this.#read(keys.agentVersion(tenant, id, version));
  }

  /** The kept versions, newest first. */
  listVersions(tenant: string, id: string, page: PageRequest): Promise<Page<Agent>> {
    const load = async (entry: Deno.KvEntry<unknown>) => {
      const record = await readAgentRecord(this.#kv, entry);
      return record && toAgent(record);
    };
    return readEntryPage(this.#kv, keys.agentVersions(tenant, id), { ...page, load });
  }

  /**
   * Replaces the body by what `change` makes of the current one, in one atomic step; `change` may
   * throw to refuse. A change that changes nothing keeps the version. One that the plan has no room
   * for forgets more of the agent's own versions, and is refused only if that is not enough.
   */
  update(
    tenant: string,
    id: string,
    options: { change: (body: AgentBody) => AgentBody } & Precondition,
  ): Promise<AgentChangeResult> {
    return this.#usage.change(tenant, async (usage): Promise<AgentChangeResult | undefined> => {
      const entry = await this.#kv.get(keys.agent(tenant, id));
      const current = await readAgentRecord(this.#kv, entry);
      const refused = preconditionRejection(current, options);
      if (refused !== undefined || current === undefined) return refused;
      const body = options.change(current.body);
      if (canonicalJson(body) === canonicalJson(current.body)) return { agent: toAgent(current) };
      const now = this.#runtime.now();
      const next = { ...current, body, version: current.version + 1, updatedAt: now };
      const replacement = this.#kv.atomic().check(entry);
      const bytes = setAgentRecord(replacement, tenant, next);
      await this.#versions.pruneOldest(replacement, { tenant, next, bytes, usage });
      usage.add("agentBytes", bytes);
      usage.writeTo(replacement);
      updateWordIndex(replacement, tenant, {
        before: toIndexedAgent(current),
        now: toIndexedAgent(next),
      });
      updateBaseIndex(replacement, tenant, { before: current, now: next });
      recordChange(replacement, this.#runtime, {
        tenant,
        kind: "agent",
        action: "change",
        target: { id, name: body.name },
        before: { ...current.body, version: current.version },
        after: { ...body, version: next.version },
      });
      return await commitStep(replacement) ? { agent: toAgent(next) } : undefined;
    });
  }

  /**
   * Deletes the agent, its index entry and its versions. In one step, but for the parts of large
   * bodies beyond the first 500: those go right after, when nothing names them any more.
   */
  delete(tenant: string, id: string, options: Precondition = {}): Promise<AgentChangeResult> {
    return this.#usage.change(tenant, async (usage): Promise<AgentChangeResult | undefined> => {
      const entry = await this.#kv.get(keys.agent(tenant, id));
      const current = await readAgentRecord(this.#kv, entry);
      const refused = preconditionRejection(current, options);
      if (refused !== undefined || current === undefined) return refused;
      const gone = this.#kv.atomic()
        .check(entry)
        .delete(entry.key)
        .delete(keys.agentByCreated(tenant, current.createdAt, id));
      updateWordIndex(gone, tenant, { before: toIndexedAgent(current) });
      updateBaseIndex(gone, tenant, { before: current });
      const { bytes, left } = await this.#versions.deleteAll(gone, { tenant, id });
      usage.add("agents", -1);
      usage.add("agentBytes", -bytes);
      usage.writeTo(gone);
      const target = { id, name: current.body.name };
      const what = { kind: "agent", action: "delete", target, before: current.body } as const;
      recordChange(gone, this.#runtime, { tenant, ...what });
      if (!(await gone.commit()).ok) return undefined;
      await this.#versions.deleteChunks(left);
      return { agent: toAgent(current) };
    });
  }

  async #read(key: Deno.KvKey, reader: KvReader = this.#kv): Promise<Agent | undefined> {
    const record = await readAgentRecord(this.#kv, await reader.get(key));
    return record && toAgent(record);
  }
}

function toIndexedAgent({ id, createdAt, body: { name } }: AgentRecord): IndexedAgent {
  return { id, createdAt, name };
}

function preconditionRejection(
  current: AgentRecord | undefined,
  { ifMatch, ifNoneMatch }: Precondition,
): AgentChangeResult | undefined {
  if (current === undefined) return { refused: "not_found" };
  const { version } = current;
  const isMatch = ifMatch === undefined || ifMatch.includes(version);
  const isExcluded = ifNoneMatch === "any" || ifNoneMatch?.includes(version) === true;
  return isMatch && !isExcluded ? undefined : { refused: "version_conflict", version };
}
