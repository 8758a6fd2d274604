import { isJsonObject } from "../platform/json.ts";
import { ApiError, validationError } from "../schemas/api_error.ts";
import type { ConversationFilter } from "../store/conversations/conversation_filter.ts";
import type { ApiKeyIdentity } from "../store/credentials/api_key_store.ts";

/** The route itself checks each agent that it reaches, with a function of this module. */
export const CHECKED_BY_ROUTE = Symbol("checked by the route");

/** The agent that a request is about; a request that is about all of them has none. */
export type AccessedAgent = string | undefined | typeof CHECKED_BY_ROUTE;

type Restricted = Pick<ApiKeyIdentity, "agents">;

export function canReachAgent({ agents }: Restricted, agentId: string): boolean {
  return agents === undefined || agents.includes(agentId.toLowerCase());
}

/** Throws 404 for an agent that the key may not reach: for the key, it does not exist. */
export function checkAgent(identity: Restricted, agentId: string | undefined): void {
  if (agentId === undefined || canReachAgent(identity, agentId)) return;
  throw new ApiError("not_found", "there is no such agent");
}

/**
 * Throws 404 for an agent that the key may not reach, and 403 if the request is not about one agent and
 * the key is restricted to some.
 */
export function checkAccessedAgent(identity: Restricted, agent: AccessedAgent): void {
  if (agent === CHECKED_BY_ROUTE) return;
  if (agent === undefined && identity.agents !== undefined) rejectRestrictedKey();
  checkAgent(identity, agent);
}

/** Throws the 403 for a request that concerns more than the agents of a key. */
export function rejectRestrictedKey(
  message = "the API key is restricted to certain agents, and this concerns others too",
): never {
  throw new ApiError("key_restricted", message);
}

/**
 * The agent of a list or look-up: the one that is named, or the only one of a restricted key. Throws 404
 * for an agent of others, and 400 if a key with several names none.
 */
export function agentOfList(
  identity: Restricted,
  agentId: string | undefined,
): string | undefined {
  checkAgent(identity, agentId);
  const { agents } = identity;
  if (agentId !== undefined || agents === undefined) return agentId;
  if (agents.length === 1) return agents[0];
  const message = "name one of the agents that the API key is restricted to";
  throw validationError([{ path: "agentId", code: "required", message }]);
}

/** The filter of a conversation, with the agent of `agentOfList`. */
export function reachableFilter(
  identity: Restricted,
  filter: ConversationFilter,
): ConversationFilter {
  return { ...filter, agentId: agentOfList(identity, filter.agentId) };
}

/**
 * Throws 403 for a patch with which an agent would reach more than a restricted key may: a knowledge base,
 * or agents that it asks.
 */
export function checkPatch(identity: Restricted, patch: unknown): void {
  if (identity.agents === undefined || !isJsonObject(patch)) return;
  if (patch.knowledgeBaseId !== undefined) rejectRestrictedKey(KNOWLEDGE_OF_ALL);
  const tools = Array.isArray(patch.tools) ? patch.tools : [];
  const asked = tools.flatMap((tool) => isJsonObject(tool) ? [tool.agentId] : []);
  const isOther = (id: unknown) => typeof id === "string" && !canReachAgent(identity, id);
  if (asked.some(isOther)) rejectRestrictedKey(ASKS_OTHERS);
}

const KNOWLEDGE_OF_ALL =
  "knowledge bases belong to all agents: set one with a key that is not restricted to agents";
const ASKS_OTHERS = "the API key is restricted to certain agents, and a tool asks another one";

/** As `checkAgent`, for the agent that a body of JSON names before it is validated. */
export function checkAgentOfBody(identity: Restricted, body: unknown): void {
  const agentId = (body as { agentId?: unknown } | null)?.agentId;
  if (typeof agentId === "string") checkAgent(identity, agentId);
}
