import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import type { Agent } from "../../schemas/agent.ts";
import type { OpenAiModel } from "../../schemas/openai_models.ts";
import type { ApiKeyIdentity } from "../../store/credentials/api_key_store.ts";
import { CHECKED_BY_ROUTE } from "../agent_access.ts";
import { identifyAndCountKey, requireChatAccess } from "../identify_key.ts";

/** A picker of more would not be used; an agent's id works however many there are. */
const MAX_MODELS = 1_000;

/** An agent in the form of a model of OpenAI's API. */
export function toModel({ id, createdAt, name }: Agent): OpenAiModel {
  const created = Math.floor(Date.parse(createdAt) / 1_000);
  return { id, object: "model", created, owned_by: "agent-chat", name };
}

/** A key that may chat. Counts the request; throws 401, 403 and 429. The caller checks agents. */
export async function requireModelAccess(
  { req, state }: Pick<Context<State>, "req" | "state">,
): Promise<ApiKeyIdentity> {
  const identity = await identifyAndCountKey(req, state);
  requireChatAccess(identity, CHECKED_BY_ROUTE);
  return identity;
}

/** The newest agents that a key may reach, at most 1,000. */
export async function listModels(
  { agents }: Pick<State["service"], "agents">,
  { tenant, agents: ids }: ApiKeyIdentity,
): Promise<OpenAiModel[]> {
  const models: OpenAiModel[] = [];
  let cursor: string | undefined;
  do {
    const page = await agents.list(tenant, { limit: 100, cursor, ids });
    models.push(...page.data.map(toModel));
    cursor = page.nextCursor;
  } while (cursor !== undefined && models.length < MAX_MODELS);
  return models.slice(0, MAX_MODELS);
}
