import { ApiError } from "../../schemas/api_error.ts";
import type { Agent, AgentPatch } from "../../schemas/agent.ts";
import { FIELD_BOUNDS } from "../../schemas/limits.ts";
import { normalizeOrigin } from "../../schemas/origins.ts";
import type { AgentService } from "../../services/agent_service.ts";
import { t } from "../texts/translate.ts";

export type SiteIssues = { origin?: string; form?: string };

/** The origin of any address of a page, with or without a scheme; `undefined` if it has none. */
export function siteOrigin(text: string): string | undefined {
  const address = /^[a-z]+:/i.test(text) && !/^[\w.-]+:\d/.test(text) ? text : `https://${text}`;
  if (/\s/.test(text) || !URL.canParse(address)) return undefined;
  const { origin, username } = new URL(address);
  return username === "" ? normalizeOrigin(origin) : undefined;
}

/** Adds a site to those that may embed the agent; returns messages for the form if it cannot. */
export async function addSite(
  agents: Pick<AgentService, "patch">,
  { tenant, agent, typed }: { tenant: string; agent: Agent; typed: string },
): Promise<SiteIssues | undefined> {
  const origin = siteOrigin(typed);
  const origins = agent.allowedOrigins ?? [];
  if (origin === undefined) {
    return { origin: t("Enter an address such as https://www.example.com. It must use https.") };
  }
  if (origins.includes(origin)) return undefined;
  if (origins.length >= FIELD_BOUNDS.allowedOrigins) {
    return {
      origin: t("An agent can have {allowedOrigins} sites. Remove one first.", {
        allowedOrigins: FIELD_BOUNDS.allowedOrigins,
      }),
    };
  }
  const patch = { allowedOrigins: [...origins, origin] };
  return await saveSites(agents, { tenant, agent, patch });
}

/** Stores where the agent may be used; returns a message for the form if it cannot. */
export async function saveSites(
  agents: Pick<AgentService, "patch">,
  { tenant, agent, patch }: {
    tenant: string;
    agent: Agent;
    patch: Pick<AgentPatch, "allowedOrigins" | "nativeApps">;
  },
): Promise<SiteIssues | undefined> {
  try {
    await agents.patch(tenant, agent.id, { patch, ifMatch: [agent.version] });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 412) throw error;
    return { form: t("The agent was changed at the same time. Try again.") };
  }
}
