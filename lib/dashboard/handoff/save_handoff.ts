import type { Agent } from "../../schemas/agent.ts";
import type { AgentService } from "../../services/agent_service.ts";
import { saveAgentSetting } from "../agents/save_agent_setting.ts";
import {
  type HandoffIssues,
  type HandoffValues,
  toHandoff,
  toHandoffIssues,
} from "./handoff_form.ts";

export interface RejectedHandoff {
  status: number;
  issues: HandoffIssues;
}

/** Saves the form over the setting of the version that it was opened with. */
export async function saveHandoff(
  agents: Pick<AgentService, "get" | "patch" | "findVersion">,
  { tenant, agent, values, opened }: {
    tenant: string;
    agent: Agent;
    values: HandoffValues;
    /** The version that the form shows. */
    opened: number;
  },
): Promise<RejectedHandoff | undefined> {
  const handoff = toHandoff(values);
  const rejected = await saveAgentSetting(agents, {
    ...{ tenant, agent, opened, patch: { handoff } },
    textOf: (of) => JSON.stringify(of.handoff),
    wanted: JSON.stringify(handoff ?? undefined),
  });
  if (rejected === undefined) return undefined;
  return "conflict" in rejected
    ? { status: 412, issues: { failure: rejected.conflict } }
    : { status: 400, issues: toHandoffIssues(rejected.issues, values) };
}
