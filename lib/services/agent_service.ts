import type { KvReader } from "../store/tx/read_transaction.ts";
import { ApiError, parseCombined, parseOrThrow, validationError } from "../schemas/api_error.ts";
import type { AgentSearchResult } from "../store/agents/agent_search.ts";
import type {
  AgentChangeResult,
  AgentStore,
  Precondition,
  ServedAgent,
} from "../store/agents/agent_store.ts";
import type { Page, PageRequest } from "../store/values/page.ts";
import type { CommitStep } from "../store/values/record.ts";
import {
  type Agent,
  type AgentBody,
  agentBodySchema,
  type AgentPatch,
  agentPatchSchema,
} from "../schemas/agent.ts";
import {
  referenceIssues,
  type ReferenceLookups,
  type ReferencingAgent,
} from "./agent_references.ts";
import { type ShownAppearance, shownAppearance } from "../schemas/appearance.ts";
import type { CursorSigner } from "./cursor_signer.ts";
import { listAgents } from "./list_agents.ts";
import {
  chooseVersion,
  type ChosenVersion,
  type MessagePlace,
} from "./publishing/choose_version.ts";

/** Longer lists of agents that use something are not useful to read. */
const MAX_LISTED_AGENTS = 50;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type SessionOfAgent = { tenant: string; agentId: string; playground: boolean };

/**
 * Agents, for /v1 and the dashboard. Methods throw `ApiError`; 412 if the agent's version is not in
 * `ifMatch`, or is in `ifNoneMatch`.
 */
export class AgentService {
  #store: AgentStore;
  #references: ReferenceLookups;
  #cursors: CursorSigner;

  constructor(
    store: AgentStore,
    deps: Omit<ReferenceLookups, "agents"> & { cursors: CursorSigner },
  ) {
    this.#store = store;
    this.#references = { ...deps, agents: store };
    this.#cursors = deps.cursors;
  }

  /** `body` is unparsed; `commit` may extend the transaction that stores the agent. */
  async create(
    tenant: string,
    body: unknown,
    options: { commit?: CommitStep<Agent> | undefined } = {},
  ): Promise<Agent> {
    return await this.#store.create(tenant, await this.check(tenant, body), options);
  }

  /** Like `get`, but `undefined` instead of 404. */
  find(tenant: string, id: string): Promise<Agent | undefined> {
    return this.#store.get(tenant, id);
  }

  async get(tenant: string, id: string, reader?: KvReader): Promise<Agent> {
    return await this.#store.get(tenant, id, reader) ?? notFound();
  }

  /** The version that visitors get; 404 without the agent. */
  async getServed(tenant: string, id: string, reader?: KvReader): Promise<Agent> {
    return await this.#store.getServed(tenant, id, reader) ?? notFound();
  }

  /** Like `getServed`, but `undefined` instead of 404. */
  findServed(tenant: string, id: string): Promise<Agent | undefined> {
    return this.#store.getServed(tenant, id);
  }

  /** The agent of a session: the playground tries what was saved last. */
  async getForSession(session: SessionOfAgent): Promise<Agent> {
    return (await this.getForMessage(session)).agent;
  }

  /** Like `getForSession`, with the canary that divides the agent's conversations. */
  async getForMessage(
    { tenant, agentId, playground }: SessionOfAgent,
    reader?: KvReader,
  ): Promise<ServedAgent> {
    if (playground) return { agent: await this.get(tenant, agentId, reader) };
    return await this.#store.getServedWithCanary(tenant, agentId, reader) ?? notFound();
  }

  /** The version that answers a message: the published one, or that of a canary. */
  chooseVersion(
    served: ServedAgent,
    { place, reader }: { place: MessagePlace; reader: KvReader },
  ): Promise<ChosenVersion> {
    return chooseVersion(served, place, { agents: this.#store, reader });
  }

  /** Like `getForSession`, but `undefined` instead of 404. */
  findForSession({ tenant, agentId, playground }: SessionOfAgent): Promise<Agent | undefined> {
    return playground ? this.find(tenant, agentId) : this.findServed(tenant, agentId);
  }

  /** How an agent's widget looks and what it offers, for any page; `{}` for nothing or no agent. */
  async publicAppearance(id: string): Promise<ShownAppearance> {
    const found = await this.#store.publicAppearance(id);
    return (found && shownAppearance(found)) ?? {};
  }

  /** Newest first, all or those with one of a few ids; 400 for a cursor of another list. */
  list(
    tenant: string,
    { ids, ...page }: PageRequest & { ids?: readonly string[] | undefined },
  ): Promise<Page<Agent>> {
    const list = `agents ${tenant} ${ids?.join(" ") ?? ""}`.trimEnd();
    const load = (opened: PageRequest) => listAgents(this.#store, { tenant, ids }, opened);
    return this.#cursors.page(page, { list, load });
  }

  /** The agents that use a knowledge base, newest first, at most 50. */
  async usingKnowledgeBase(tenant: string, knowledgeBaseId: string): Promise<AgentSearchResult> {
    const page = { limit: MAX_LISTED_AGENTS };
    const { data, nextCursor } = await this.#store.listByBase(tenant, knowledgeBaseId, page);
    return { data, more: nextCursor !== undefined };
  }

  /** Finds agents by words in their name, or one by its id; at most `limit`, newest first. */
  async search(
    tenant: string,
    { query, limit }: { query: string; limit: number },
  ): Promise<AgentSearchResult> {
    const id = query.trim().toLowerCase();
    const named = UUID.test(id) ? await this.#store.get(tenant, id) : undefined;
    if (named !== undefined) return { data: [named], more: false };
    return await this.#store.search(tenant, { query, limit });
  }

  /** Like `getVersion`, but `undefined` instead of 404. */
  findVersion(tenant: string, id: string, version: number): Promise<Agent | undefined> {
    return this.#store.getVersion(tenant, id, version);
  }

  async getVersion(tenant: string, id: string, version: number): Promise<Agent> {
    return await this.#store.getVersion(tenant, id, version) ?? notFound();
  }

  /** Newest first; 400 for a cursor of another list. */
  async listVersions(tenant: string, id: string, page: PageRequest): Promise<Page<Agent>> {
    await this.get(tenant, id);
    const load = (opened: PageRequest) => this.#store.listVersions(tenant, id, opened);
    return await this.#cursors.page(page, { list: `agent_versions ${tenant} ${id}`, load });
  }

  /** Merges the patch, validates the result and stores it. An empty change keeps the version. */
  async patch(
    tenant: string,
    id: string,
    options: { patch: unknown } & Precondition,
  ): Promise<Agent> {
    const patch = parseOrThrow(agentPatchSchema, options.patch);
    const current = await this.get(tenant, id);
    const before = bodyOf(current);
    await this.#checkReferences({ tenant, id, agent: applyAgentPatch(before, patch), before });
    return unwrapChange(
      await this.#store.update(tenant, id, {
        change: (body) => applyAgentPatch(body, patch),
        ifMatch: options.ifMatch,
        ifNoneMatch: options.ifNoneMatch,
      }),
    );
  }

  /** Stores a whole body: what it leaves out is unset. An equal body keeps the version. */
  async replace(
    tenant: string,
    id: string,
    { body, ...precondition }: { body: unknown } & Precondition,
  ): Promise<Agent> {
    const agent = await this.checkReplacement(tenant, id, body);
    return unwrapChange(
      await this.#store.update(tenant, id, { change: () => agent, ...precondition }),
    );
  }

  /** Stores the body of `version` as a new version, after the same checks as any change. */
  async restore(
    tenant: string,
    id: string,
    { version, ifMatch }: { version: number } & Precondition,
  ): Promise<Agent> {
    const body = bodyOf(await this.getVersion(tenant, id, version));
    await this.#checkReferences({ tenant, id, agent: body, before: body });
    return unwrapChange(await this.#store.update(tenant, id, { change: () => body, ifMatch }));
  }

  /** False if the version is not stored. Throws 400 if what it refers to is gone. */
  async checkVersion(tenant: string, id: string, version: number): Promise<boolean> {
    const stored = await this.findVersion(tenant, id, version);
    if (stored === undefined) return false;
    const body = bodyOf(stored);
    await this.#checkReferences({ tenant, id, agent: body, before: body });
    return true;
  }

  /** Returns what `patch` would store, with all its checks. */
  async preview(tenant: string, id: string, patch: unknown): Promise<Agent> {
    const current = await this.get(tenant, id);
    const parsed = parseOrThrow(agentPatchSchema, patch);
    const before = bodyOf(current);
    const merged = applyAgentPatch(before, parsed);
    await this.#checkReferences({ tenant, id, agent: merged, before });
    const { createdAt, updatedAt, version } = current;
    return { id, ...merged, createdAt, updatedAt, version };
  }

  /** Throws whatever `create` would throw for `body`, and stores nothing. */
  async check(tenant: string, body: unknown): Promise<AgentBody> {
    const agent = parseOrThrow(agentBodySchema, body);
    await this.#checkReferences({ tenant, agent });
    return agent;
  }

  /** Throws whatever `replace` would throw for `body`, and stores nothing. */
  async checkReplacement(tenant: string, id: string, body: unknown): Promise<AgentBody> {
    const agent = parseOrThrow(agentBodySchema, body);
    const before = bodyOf(await this.get(tenant, id));
    await this.#checkReferences({ tenant, id, agent, before });
    return agent;
  }

  async delete(tenant: string, id: string, options: Precondition = {}): Promise<void> {
    unwrapChange(await this.#store.delete(tenant, id, options));
  }

  async #checkReferences(agent: ReferencingAgent): Promise<void> {
    const issues = await referenceIssues(this.#references, agent);
    if (issues.length > 0) throw validationError(issues);
  }
}

/** Applies a patch: policy and budget field by field, the rest as a whole; `null` clears. */
export function applyAgentPatch(body: AgentBody, patch: AgentPatch): AgentBody {
  const { modelPolicy, budget, fallback, appearance, attachments, handoff, ...others } = patch;
  const { retentionDays, memory, guardrails, responseSchema, rerank, ...rest } = others;
  const merged = {
    ...body,
    ...rest,
    modelPolicy: withoutNull({ ...body.modelPolicy, ...modelPolicy }),
    budget: { ...body.budget, ...budget },
    ...fallback && { fallback },
    ...rerank && { rerank },
    ...appearance && { appearance },
    ...attachments && { attachments },
    ...handoff && { handoff },
    ...memory && { memory },
    ...guardrails && { guardrails },
    ...typeof retentionDays === "number" && { retentionDays },
    ...responseSchema && { responseSchema },
  };
  if (merged.variables?.length === 0) delete merged.variables;
  if (fallback === null) delete merged.fallback;
  if (rerank === null) delete merged.rerank;
  if (appearance === null) delete merged.appearance;
  if (attachments === null) delete merged.attachments;
  if (handoff === null) delete merged.handoff;
  if (memory === null) delete merged.memory;
  if (guardrails === null) delete merged.guardrails;
  if (retentionDays === null) delete merged.retentionDays;
  if (responseSchema === null) delete merged.responseSchema;
  return parseCombined(agentBodySchema, merged);
}

function withoutNull(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

function bodyOf(agent: Agent): AgentBody {
  const { id: _id, createdAt: _c, updatedAt: _u, version: _v, ...body } = agent;
  return body;
}

function unwrapChange(change: AgentChangeResult): Agent {
  if ("agent" in change) return change.agent;
  if (change.rejected === "not_found") notFound();
  const at = "version" in change ? `; it is at version ${change.version}` : "";
  throw new ApiError("version_conflict", `the agent has changed since you read it${at}`);
}

function notFound(): never {
  throw new ApiError("not_found", "there is no such agent");
}
