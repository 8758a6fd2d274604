import type { Agent } from "../../schemas/agent.ts";
import { ApiError } from "../../schemas/api_error.ts";
import type { ValidationIssue } from "../../schemas/error_codes.ts";
import type { AgentService } from "../../services/agent_service.ts";
import { t } from "../texts/translate.ts";

/** Saves that may get between reading the agent and storing this one before it counts as a conflict. */
const MAX_RETRIES = 3;

/** Why a setting was not saved: invalid fields, or a message because it was changed meanwhile. */
export type RejectedSetting = { issues: ValidationIssue[] } | { conflict: string };

interface SavedSetting {
  tenant: string;
  agent: Agent;
  /** The version that the form shows. */
  opened: number;
  /** The form as a patch, which may be invalid. */
  patch: Record<string, unknown>;
  /** The setting as text, to compare versions; `undefined` for an agent without it. */
  textOf: (agent: Agent) => string | undefined;
  /** The text of what the form has. */
  wanted: string | undefined;
}

/**
 * Saves one setting of an agent from a form. Other changes of the agent since the form was opened are
 * kept; another value of the setting is not overwritten. Someone who saved the same value, such as a
 * second tab, is no conflict. `undefined` if it is saved.
 */
export async function saveAgentSetting(
  agents: Pick<AgentService, "get" | "patch" | "findVersion">,
  { tenant, opened, patch, textOf, wanted, ...setting }: SavedSetting,
): Promise<RejectedSetting | undefined> {
  let { agent } = setting;
  const before = await agents.findVersion(tenant, agent.id, opened);
  for (let attempt = 0; attempt <= MAX_RETRIES; attempt++) {
    if (attempt > 0) agent = await agents.get(tenant, agent.id);
    const current = textOf(agent);
    const isChanged = opened !== agent.version && (before && textOf(before)) !== current;
    if (isChanged && current !== wanted) break;
    try {
      await agents.patch(tenant, agent.id, { patch, ifMatch: [agent.version] });
      return undefined;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === "schema_validation_failed") {
        return { issues: (error.details?.issues ?? []) as ValidationIssue[] };
      }
      if (error.code !== "version_conflict") throw error;
    }
  }
  return {
    conflict: t(
      "Someone else changed this agent after you opened it. Your changes are still here: copy what you need, then open this page again.",
    ),
  };
}
