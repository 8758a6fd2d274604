import type { AgentService } from "../../admin/agent_admin.ts";
import { ApiError } from "../../errors.ts";
import type { Agent } from "../../wire/agent.ts";
import type { PlaygroundChatBody } from "../../wire/tryout.ts";
import { readAgentForm, toAgentPatch } from "./agent_form.ts";
import { toFormIssues } from "./save_agent.ts";

/** The agent that a message of the playground is for. Throws `ApiError`; 400 for a faulty draft. */
export async function loadPlaygroundAgent(
  agents: AgentService,
  { tenant, id, body }: {
    tenant: string;
    id: string;
    body: Pick<PlaygroundChatBody, "form" | "version">;
  },
): Promise<Agent> {
  const { form, version } = body;
  if (form === undefined) {
    return version === undefined
      ? await agents.get(tenant, id)
      : await agents.getVersion(tenant, id, version);
  }
  const values = readAgentForm(new URLSearchParams(form));
  try {
    return await agents.preview(tenant, id, toAgentPatch(values));
  } catch (error) {
    const faults = toFormIssues(error, values);
    if (faults === undefined) throw error;
    const message = `the draft needs your attention: ${Object.values(faults).join(" ")}`;
    throw new ApiError("schema_validation_failed", message, { details: { faults } });
  }
}
