import type { Agent } from "../../schemas/agent.ts";
import type { AgentService } from "../../services/agent_service.ts";
import { saveAgentSetting } from "../agents/save_agent_setting.ts";
import {
  type GuardrailIssues,
  type GuardrailValues,
  toGuardrailIssues,
  toGuardrails,
} from "./guardrails_form.ts";

/** Saves the form over the setting of the version that it was opened with; `undefined` if it is saved. */
export async function saveGuardrails(
  agents: Pick<AgentService, "get" | "patch" | "findVersion">,
  { tenant, agent, values, opened }: {
    tenant: string;
    agent: Agent;
    values: GuardrailValues;
    /** The version that the form shows. */
    opened: number;
  },
): Promise<{ status: number; issues: GuardrailIssues } | undefined> {
  const guardrails = toGuardrails(values);
  const rejected = await saveAgentSetting(agents, {
    ...{ tenant, agent, opened, patch: { guardrails } },
    textOf: (of) => JSON.stringify(of.guardrails),
    wanted: JSON.stringify(guardrails ?? undefined),
  });
  if (rejected === undefined) return undefined;
  return "conflict" in rejected
    ? { status: 412, issues: { failure: rejected.conflict } }
    : { status: 400, issues: toGuardrailIssues(rejected.issues) };
}
