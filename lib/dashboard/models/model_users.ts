import type { Service } from "../../http/service.ts";
import type { Agent } from "../../schemas/agent.ts";
import type { ProviderId } from "../../schemas/provider_id.ts";

/** Agents that are looked at; above it, the answer is "at least". */
const MAX_AGENTS = 2_000;
const PAGE_SIZE = 100;
const MAX_NAMES = 10;

/** A model, or all models of a connection. */
export type ModelPattern = { vendor: ProviderId; model?: string };

/** The agents that would stop answering, or lose their fallback. */
export interface ModelUsers {
  /** Of the operator's own tenant, at most ten. */
  names: string[];
  /** All of them, those of other tenants included. */
  count: number;
  /** Not all agents were looked at. */
  isPartial: boolean;
}

/** Finds the agents of all tenants that use a model, the operator's own tenant first. */
export async function findModelUsers(
  { agents, tenants }: Pick<Service, "agents" | "tenants">,
  { own, ...pattern }: ModelPattern & { own: string },
): Promise<ModelUsers> {
  const others = (await tenants.list()).map(({ id }) => id).filter((id) => id !== own);
  const users: ModelUsers = { names: [], count: 0, isPartial: false };
  let seen = 0;
  for (const tenant of [own, ...others]) {
    let cursor: string | undefined;
    do {
      if (seen >= MAX_AGENTS) return { ...users, isPartial: true };
      const { data, nextCursor } = await agents.list(tenant, { limit: PAGE_SIZE, cursor });
      const using = data.filter((agent) => isUsing(agent, pattern));
      users.count += using.length;
      if (tenant === own) users.names.push(...using.map(({ name }) => name));
      seen += data.length;
      cursor = nextCursor;
    } while (cursor !== undefined);
  }
  return { ...users, names: users.names.slice(0, MAX_NAMES) };
}

function isUsing({ modelPolicy, fallback }: Agent, { vendor, model }: ModelPattern): boolean {
  return [modelPolicy, fallback].some((one) =>
    one?.provider === vendor && (model === undefined || one.model === model)
  );
}
