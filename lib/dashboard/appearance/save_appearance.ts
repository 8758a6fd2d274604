import type { Agent } from "../../schemas/agent.ts";
import { ApiError } from "../../schemas/api_error.ts";
import type { ValidationIssue } from "../../schemas/error_codes.ts";
import type { AgentService } from "../../services/agent_service.ts";
import {
  type AppearanceIssues,
  type AppearanceValues,
  type ShownAppearance,
  toAppearance,
  toAppearanceIssues,
  toAppearanceValues,
} from "./appearance_form.ts";
import { t } from "../texts/translate.ts";

export interface RejectedAppearance {
  status: number;
  issues: AppearanceIssues;
}

/** Saves that may get between reading the agent and storing this one before it counts as a conflict. */
const MAX_RETRIES = 3;

/**
 * Saves the form over the appearance of the version that it was opened with. Other changes of the agent
 * since then are kept; another appearance is not overwritten. Someone who saved the same values, such as
 * a second tab, is no conflict.
 */
export async function saveAppearance(
  agents: Pick<AgentService, "get" | "patch" | "findVersion">,
  { tenant, agent, values, opened, retries = MAX_RETRIES }: {
    tenant: string;
    agent: Agent;
    values: AppearanceValues;
    /** The version that the form shows. */
    opened: number;
    retries?: number;
  },
): Promise<RejectedAppearance | undefined> {
  const before = opened === agent.version
    ? agent
    : await agents.findVersion(tenant, agent.id, opened);
  const current = textOf(agent.appearance);
  if (textOf(before?.appearance) !== current && textOf(toAppearance(values)) !== current) {
    return conflict();
  }
  try {
    const change = { patch: { appearance: toAppearance(values) }, ifMatch: [agent.version] };
    await agents.patch(tenant, agent.id, change);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === "version_conflict") {
      if (retries === 0) return conflict();
      const current = await agents.get(tenant, agent.id);
      const again = { tenant, agent: current, values, opened, retries: retries - 1 };
      return await saveAppearance(agents, again);
    }
    if (error.code !== "schema_validation_failed") throw error;
    const issues = toAppearanceIssues((error.details?.issues ?? []) as ValidationIssue[]);
    return { status: 400, issues };
  }
}

/** As the form shows it, in one order. */
function textOf(appearance: ShownAppearance | undefined): string {
  return JSON.stringify(toAppearanceValues(appearance));
}

function conflict(): RejectedAppearance {
  const form = t(
    "Someone else changed this agent after you opened it. Your changes are still here: copy what you need, then open this page again.",
  );
  return { status: 412, issues: { form } };
}
