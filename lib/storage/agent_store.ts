import { z } from "zod";
import { type Agent, type AgentBody, agentBodySchema } from "../wire/agent.ts";
import { iso, type System } from "../system.ts";
import { keys } from "./keys.ts";
import { type Page, type PageRequest, readPage } from "./page.ts";
import { commitRecord, parseRecord, untilCommitted } from "./record.ts";

/** Versions of one agent that are kept. */
const KEPT_VERSIONS = 100;

const agentRecordSchema = z.object({
  v: z.literal(1),
  id: z.uuid(),
  createdAt: z.int(),
  updatedAt: z.int(),
  version: z.int().positive(),
  body: agentBodySchema,
});
type AgentRecord = z.infer<typeof agentRecordSchema>;

/** What came of a change: the agent, or why there is none. */
export type AgentChange =
  | { agent: Agent }
  | { refused: "not_found" }
  | { refused: "version_conflict"; version: number };

/** Agents of all tenants; every method takes the tenant first and sees nothing outside it. */
export class AgentStore {
  #kv: Deno.Kv;
  #system: System;

  constructor(kv: Deno.Kv, system: System) {
    this.#kv = kv;
    this.#system = system;
  }

  async create(tenant: string, body: AgentBody): Promise<Agent> {
    const now = this.#system.now();
    const id = this.#system.uuid();
    const record: AgentRecord = { v: 1, id, createdAt: now, updatedAt: now, version: 1, body };
    const key = keys.agent(tenant, id);
    const creation = this.#kv.atomic()
      .check({ key, versionstamp: null })
      .set(key, record)
      .set(keys.agentVersion(tenant, id, 1), record)
      .set(keys.agentByCreated(tenant, now, id), id);
    if (!await commitRecord(creation)) throw new Error("an agent id was drawn twice");
    return toAgent(record);
  }

  async get(tenant: string, id: string): Promise<Agent | undefined> {
    const record = await this.#read(keys.agent(tenant, id));
    return record && toAgent(record);
  }

  /** Newest first. */
  list(tenant: string, page: PageRequest): Promise<Page<Agent>> {
    const load = (id: string) => this.get(tenant, id);
    return readPage(this.#kv, keys.agentsByCreated(tenant), { ...page, load });
  }

  async getVersion(tenant: string, id: string, version: number): Promise<Agent | undefined> {
    const record = await this.#read(keys.agentVersion(tenant, id, version));
    return record && toAgent(record);
  }

  /** The kept versions, newest first. */
  async listVersions(tenant: string, id: string): Promise<Agent[]> {
    const prefix = keys.agentVersions(tenant, id);
    const versions: Agent[] = [];
    for await (const entry of this.#kv.list({ prefix }, { reverse: true, limit: KEPT_VERSIONS })) {
      const record = parseRecord(agentRecordSchema, entry);
      if (record) versions.push(toAgent(record));
    }
    return versions;
  }

  /**
   * Replaces the body by what `change` makes of the current one, in one atomic step; `change` may
   * throw to refuse. A change that changes nothing keeps the version.
   */
  update(
    tenant: string,
    id: string,
    options: { change: (body: AgentBody) => AgentBody; ifMatch?: number | undefined },
  ): Promise<AgentChange> {
    const attempt = async (): Promise<AgentChange | undefined> => {
      const key = keys.agent(tenant, id);
      const entry = await this.#kv.get(key);
      const current = parseRecord(agentRecordSchema, entry);
      if (current === undefined) return { refused: "not_found" };
      if (options.ifMatch !== undefined && options.ifMatch !== current.version) {
        return { refused: "version_conflict", version: current.version };
      }
      const body = options.change(current.body);
      if (stableJson(body) === stableJson(current.body)) return { agent: toAgent(current) };
      const next = {
        ...current,
        body,
        version: current.version + 1,
        updatedAt: this.#system.now(),
      };
      const replacement = this.#kv.atomic()
        .check(entry)
        .set(key, next)
        .set(keys.agentVersion(tenant, id, next.version), next)
        .delete(keys.agentVersion(tenant, id, next.version - KEPT_VERSIONS));
      return await commitRecord(replacement) ? { agent: toAgent(next) } : undefined;
    };
    return untilCommitted(attempt, { what: "agent" });
  }

  /** Deletes the agent, its index entry and its versions. */
  delete(
    tenant: string,
    id: string,
    options: { ifMatch?: number | undefined } = {},
  ): Promise<AgentChange> {
    const attempt = async (): Promise<AgentChange | undefined> => {
      const key = keys.agent(tenant, id);
      const entry = await this.#kv.get(key);
      const current = parseRecord(agentRecordSchema, entry);
      if (current === undefined) return { refused: "not_found" };
      if (options.ifMatch !== undefined && options.ifMatch !== current.version) {
        return { refused: "version_conflict", version: current.version };
      }
      const gone = this.#kv.atomic()
        .check(entry)
        .delete(key)
        .delete(keys.agentByCreated(tenant, current.createdAt, id));
      const oldest = Math.max(1, current.version - KEPT_VERSIONS + 1);
      for (let n = oldest; n <= current.version; n++) gone.delete(keys.agentVersion(tenant, id, n));
      return (await gone.commit()).ok ? { agent: toAgent(current) } : undefined;
    };
    return untilCommitted(attempt, { what: "agent" });
  }

  async #read(key: Deno.KvKey): Promise<AgentRecord | undefined> {
    return parseRecord(agentRecordSchema, await this.#kv.get(key));
  }
}

function toAgent(record: AgentRecord): Agent {
  return {
    id: record.id,
    ...record.body,
    createdAt: iso(record.createdAt),
    updatedAt: iso(record.updatedAt),
    version: record.version,
  };
}

/** JSON with sorted keys, so that equal bodies compare equal whatever order they came in. */
function stableJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner) => {
    if (inner === null || typeof inner !== "object" || Array.isArray(inner)) return inner;
    const entries = Object.entries(inner).filter(([, v]) => v !== undefined);
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
  });
}
