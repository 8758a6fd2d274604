import type { Agent } from "../../schemas/agent.ts";
import type { AgentService } from "../../services/agent_service.ts";
import { saveAgentSetting } from "../agents/save_agent_setting.ts";
import {
  type AppearanceIssues,
  type AppearanceValues,
  type ShownAppearance,
  toAppearance,
  toAppearanceIssues,
  toAppearanceValues,
} from "./appearance_form.ts";

export interface RejectedAppearance {
  status: number;
  issues: AppearanceIssues;
}

/** Saves the form over the appearance of the version that it was opened with. */
export async function saveAppearance(
  agents: Pick<AgentService, "get" | "patch" | "findVersion">,
  { tenant, agent, values, opened }: {
    tenant: string;
    agent: Agent;
    values: AppearanceValues;
    /** The version that the form shows. */
    opened: number;
  },
): Promise<RejectedAppearance | undefined> {
  const appearance = toAppearance(values);
  const rejected = await saveAgentSetting(agents, {
    ...{ tenant, agent, opened, patch: { appearance } },
    textOf: (of) => textOf(of.appearance),
    wanted: textOf(appearance),
  });
  if (rejected === undefined) return undefined;
  return "conflict" in rejected
    ? { status: 412, issues: { form: rejected.conflict } }
    : { status: 400, issues: toAppearanceIssues(rejected.issues) };
}

/** As the form shows it, in one order. */
function textOf(appearance: ShownAppearance | undefined): string {
  return JSON.stringify(toAppearanceValues(appearance));
}
