import type { AgentService } from "../../services/agent_service.ts";
import { ApiError } from "../../schemas/api_error.ts";
import type { Agent } from "../../schemas/agent.ts";
import type { PlaygroundChatBody, ToolTestReport } from "../../schemas/playground.ts";
import { readAgentForm, toAgentPatch } from "./agent_form.ts";
import { toFormIssues } from "./save_agent.ts";
import type { Toolset } from "../../agent/tools/toolset.ts";
import type { Runtime } from "../../platform/runtime.ts";

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

/** Makes one call of a toolset's tool, or only asks what it offers; closes it. */
export async function testTool(
  toolset: Toolset,
  { call, runtime, signal }: {
    call: { name: string; args: unknown } | undefined;
    runtime: Pick<Runtime, "now">;
    signal: AbortSignal;
  },
): Promise<ToolTestReport> {
  const begun = runtime.now();
  try {
    const described = await toolset.listTools(signal);
    const output = call && { output: await toolset.execute(call.name, call.args, signal) };
    return {
      ...output,
      offered: described.map(({ name, description }) => ({ name, description })),
      ledger: [...toolset.egressCalls],
      notes: [...toolset.notes],
      ms: Math.max(0, runtime.now() - begun),
    };
  } finally {
    await toolset.close();
  }
}
