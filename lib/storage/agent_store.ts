import { canonicalJson } from "../canonical_json.ts";
import type { System } from "../system.ts";
import type { Agent, AgentBody } from "../wire/agent.ts";
import { indexBase } from "./agent_bases.ts";
import { type AgentRecord, openAgentRecord, setAgentRecord, toAgent } from "./agent_record.ts";
import { recordChange } from "./audit_record.ts";
import { type AgentsFound, searchAgents } from "./agent_search.ts";
import { indexWords, type Named } from "./agent_words.ts";
import type { KvReader } from "../committer/view.ts";
import { keys } from "./keys.ts";
import { type Page, type PageRequest, readEntries, readPage } from "./page.ts";
import { type Commit, commitRecord, untilCommitted } from "./record.ts";

/** Versions of one agent that are kept. */
export const KEPT_VERSIONS = 100;
/** Keys that one step deletes: it takes 80 KB of keys, of about 110 bytes each. */
const KEYS_A_DELETION = 500;

/** What came of a change: the agent, or why there is none. */
export type AgentChange =
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
  #system: System;

  constructor(kv: Deno.Kv, system: System) {
    this.#kv = kv;
    this.#system = system;
  }

  /** Throws `ApiError` 413 when the agent is larger than the store takes; `commit` may add to the step. */
  async create(
    tenant: string,
    body: AgentBody,
    options: { commit?: Commit<Agent> | undefined } = {},
  ): Promise<Agent> {
    const now = this.#system.now();
    const id = this.#system.uuid();
    const record: AgentRecord = { v: 1, id, createdAt: now, updatedAt: now, version: 1, body };
    const creation = this.#kv.atomic()
      .check({ key: keys.agent(tenant, id), versionstamp: null })
      .set(keys.agentByCreated(tenant, now, id), id);
    setAgentRecord(creation, tenant, record);
    const target = { id, name: body.name };
    const what = { kind: "agent", action: "create", target, after: body } as const;
    recordChange(creation, this.#system, { tenant, ...what });
    indexWords(creation, tenant, { now: namedOf(record) });
    indexBase(creation, tenant, { now: record });
    const agent = toAgent(record);
    const made = await (options.commit ?? commitRecord)(creation, agent);
    if (!made) throw new Error("an agent id was drawn twice");
    return agent;
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
  search(tenant: string, find: { query: string; limit: number }): Promise<AgentsFound> {
    return searchAgents(this.#kv, tenant, find);
  }

  async getVersion(tenant: string, id: string, version: number): Promise<Agent | undefined> {
    return await this.#read(keys.agentVersion(tenant, id, version));
  }

  /** The kept versions, newest first. */
  listVersions(tenant: string, id: string, page: PageRequest): Promise<Page<Agent>> {
    const load = async (entry: Deno.KvEntry<unknown>) => {
      const record = await openAgentRecord(this.#kv, entry);
      return record && toAgent(record);
    };
    return readEntries(this.#kv, keys.agentVersions(tenant, id), { ...page, load });
  }

  /**
   * Replaces the body by what `change` makes of the current one, in one atomic step; `change` may
   * throw to refuse. A change that changes nothing keeps the version.
   */
  update(
    tenant: string,
    id: string,
    options: { change: (body: AgentBody) => AgentBody } & Precondition,
  ): Promise<AgentChange> {
    const attempt = async (): Promise<AgentChange | undefined> => {
      const entry = await this.#kv.get(keys.agent(tenant, id));
      const current = await openAgentRecord(this.#kv, entry);
      const refused = refusal(current, options);
      if (refused !== undefined || current === undefined) return refused;
      const body = options.change(current.body);
      if (canonicalJson(body) === canonicalJson(current.body)) return { agent: toAgent(current) };
      const now = this.#system.now();
      const next = { ...current, body, version: current.version + 1, updatedAt: now };
      const replacement = this.#kv.atomic().check(entry);
      setAgentRecord(replacement, tenant, next);
      indexWords(replacement, tenant, { before: namedOf(current), now: namedOf(next) });
      indexBase(replacement, tenant, { before: current, now: next });
      await this.#forgetVersion(replacement, { tenant, id, n: next.version - KEPT_VERSIONS });
      recordChange(replacement, this.#system, {
        tenant,
        kind: "agent",
        action: "change",
        target: { id, name: body.name },
        before: { ...current.body, version: current.version },
        after: { ...body, version: next.version },
      });
      return await commitRecord(replacement) ? { agent: toAgent(next) } : undefined;
    };
    return untilCommitted(attempt, { what: "agent" });
  }

  /**
   * Deletes the agent, its index entry and its versions. In one step, but for the parts of large
   * bodies beyond the first 500: those go right after, when nothing names them any more.
   */
  delete(tenant: string, id: string, options: Precondition = {}): Promise<AgentChange> {
    const attempt = async (): Promise<AgentChange | undefined> => {
      const entry = await this.#kv.get(keys.agent(tenant, id));
      const current = await openAgentRecord(this.#kv, entry);
      const refused = refusal(current, options);
      if (refused !== undefined || current === undefined) return refused;
      const parts = await this.#keysUnder(keys.agentBodyParts(tenant, id));
      const gone = this.#kv.atomic()
        .check(entry)
        .delete(entry.key)
        .delete(keys.agentByCreated(tenant, current.createdAt, id));
      indexWords(gone, tenant, { before: namedOf(current) });
      indexBase(gone, tenant, { before: current });
      const oldest = Math.max(1, current.version - KEPT_VERSIONS + 1);
      for (let n = oldest; n <= current.version; n++) gone.delete(keys.agentVersion(tenant, id, n));
      for (const key of parts.splice(0, KEYS_A_DELETION)) gone.delete(key);
      const target = { id, name: current.body.name };
      const what = { kind: "agent", action: "delete", target, before: current.body } as const;
      recordChange(gone, this.#system, { tenant, ...what });
      if (!(await gone.commit()).ok) return undefined;
      while (parts.length > 0) await this.#deleteAll(parts.splice(0, KEYS_A_DELETION));
      return { agent: toAgent(current) };
    };
    return untilCommitted(attempt, { what: "agent" });
  }

  async #forgetVersion(
    change: Deno.AtomicOperation,
    { tenant, id, n }: { tenant: string; id: string; n: number },
  ): Promise<void> {
    if (n < 1) return;
    change.delete(keys.agentVersion(tenant, id, n));
    const parts = await this.#keysUnder(keys.agentVersionParts(tenant, id, n));
    for (const key of parts) change.delete(key);
  }

  async #keysUnder(prefix: Deno.KvKey): Promise<Deno.KvKey[]> {
    const found: Deno.KvKey[] = [];
    for await (const { key } of this.#kv.list({ prefix })) found.push(key);
    return found;
  }

  async #deleteAll(gone: Deno.KvKey[]): Promise<void> {
    const change = this.#kv.atomic();
    for (const key of gone) change.delete(key);
    await change.commit();
  }

  async #read(key: Deno.KvKey, reader: KvReader = this.#kv): Promise<Agent | undefined> {
    const record = await openAgentRecord(this.#kv, await reader.get(key));
    return record && toAgent(record);
  }
}

function namedOf({ id, createdAt, body: { name } }: AgentRecord): Named {
  return { id, createdAt, name };
}

function refusal(
  current: AgentRecord | undefined,
  { ifMatch, ifNoneMatch }: Precondition,
): AgentChange | undefined {
  if (current === undefined) return { refused: "not_found" };
  const { version } = current;
  const isMatch = ifMatch === undefined || ifMatch.includes(version);
  const isExcluded = ifNoneMatch === "any" || ifNoneMatch?.includes(version) === true;
  return isMatch && !isExcluded ? undefined : { refused: "version_conflict", version };
}
