import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import type { Agent } from "../../schemas/agent.ts";
import type { OpenAiModel } from "../../schemas/openai_models.ts";
import { identifyAndCountKey, requireChatAccess } from "../identify_key.ts";

/** A picker of more would not be used; an agent's id works however many there are. */
const MAX_MODELS = 1_000;

/** An agent in the form of a model of OpenAI's API. */
export function toModel({ id, createdAt, name }: Agent): OpenAiModel {
  const created = Math.floor(Date.parse(createdAt) / 1_000);
  return { id, object: "model", created, owned_by: "agent-chat", name };
}

/** The tenant of a key that may chat. Counts the request; throws 401, 403 and 429. */
export async function requireModelAccess(
  { req, state }: Pick<Context<State>, "req" | "state">,
): Promise<string> {
  const identity = await identifyAndCountKey(req, state);
  requireChatAccess(identity);
  return identity.tenant;
}

/** The newest agents, at most 1,000. */
export async function listModels(
  { agents }: Pick<State["service"], "agents">,
  tenant: string,
): Promise<OpenAiModel[]> {
  const models: OpenAiModel[] = [];
  let cursor: string | undefined;
  do {
    const page = await agents.list(tenant, { limit: 100, cursor });
    models.push(...page.data.map(toModel));
    cursor = page.nextCursor;
  } while (cursor !== undefined && models.length < MAX_MODELS);
  return models.slice(0, MAX_MODELS);
}
