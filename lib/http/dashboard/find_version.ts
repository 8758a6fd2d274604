import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import type { Agent } from "../../wire/agent.ts";
import { signedIn } from "./signed_in.ts";

/** The number of a version, as an address or a form names it. */
export function parseVersion(text: string | null | undefined): number | undefined {
  return text && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

/** An agent as it was at one version, if that is still kept. */
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
