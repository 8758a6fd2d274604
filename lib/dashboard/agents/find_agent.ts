import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import type { Agent } from "../../schemas/agent.ts";
import { signedIn } from "../authorization.ts";
import { undefinedIfNotFound, uuidParam } from "../../http/request_params.ts";

/** The agent named by the route's `id`, if the signed-in user's tenant has it. */
export async function findAgent(ctx: Context<State>): Promise<Agent | undefined> {
  const { tenant } = signedIn(ctx.state);
  return await undefinedIfNotFound(() =>
    ctx.state.service.agents.get(tenant, uuidParam(ctx.params.id))
  );
}

export function parseVersion(text: string | null | undefined): number | undefined {
  return text && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

export async function findAgentVersion(
  ctx: Context<State>,
  agent: Agent,
  version: number | undefined,
): Promise<Agent | undefined> {
  if (version === undefined) return undefined;
  if (version === agent.version) return agent;
  const { tenant } = signedIn(ctx.state);
  return await ctx.state.service.agents.findVersion(tenant, agent.id, version);
}
