import type { Agent } from "../schemas/agent.ts";
import { isActive } from "../store/tenants/require_active_tenant.ts";
import type { Service } from "./service.ts";

/** 128 bits in base64url; anything else is not looked up, because a key of the store has a limit. */
const SHARE_ID = /^[\w-]{22}$/;

/** The agent of a share link with its tenant; `undefined` if the link is off. */
export async function findSharedAgent(
  { agents, shares, tenants }: Pick<Service, "agents" | "shares" | "tenants">,
  shareId: string,
): Promise<Agent & { tenant: string } | undefined> {
  const share = SHARE_ID.test(shareId) ? await shares.find(shareId) : undefined;
  if (share === undefined || !isActive(await tenants.plan(share.tenant))) return undefined;
  const agent = await agents.findServed(share.tenant, share.agentId);
  return agent && { ...agent, tenant: share.tenant };
}
