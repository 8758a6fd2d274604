import type { Agent } from "../schemas/agent.ts";
import type { Service } from "./service.ts";

/** The agent of a share link with its tenant; `undefined` if the link is off. */
export async function findSharedAgent(
  { agents, shares }: Pick<Service, "agents" | "shares">,
  shareId: string,
): Promise<Agent & { tenant: string } | undefined> {
  const share = await shares.find(shareId);
  const agent = share && await agents.find(share.tenant, share.agentId);
  return agent && { ...agent, tenant: share!.tenant };
}
