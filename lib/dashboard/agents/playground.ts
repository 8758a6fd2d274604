import type { AgentService } from "../../services/agent_service.ts";
import { toolIssues } from "../../agent/tools/tool_issues.ts";
import { ApiError, validationError } from "../../schemas/api_error.ts";
import type { Agent } from "../../schemas/agent.ts";
import type { PlaygroundChatBody, ToolTestReport } from "../../schemas/playground.ts";
import { readAgentFields, readAgentForm, toAgentPatch } from "./agent_form.ts";
import { toFormIssues } from "./save_agent.ts";
import { isDomainAllowed } from "../../schemas/domains.ts";
import { isRemoteTool, type ToolDefinition, toolUrl } from "../../schemas/tool_definition.ts";
import type { Toolset } from "../../agent/tools/toolset.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { t } from "../texts/translate.ts";

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
  const fields = new URLSearchParams(form);
  const values = readAgentForm(fields);
  try {
    return await agents.preview(tenant, id, toAgentPatch(readAgentFields(fields)));
  } catch (error) {
    const issues = toFormIssues(error, values);
    if (issues === undefined) throw error;
    const message = t("the draft needs your attention: {join}", {
      join: Object.values(issues).join(" "),
    });
    throw new ApiError("schema_validation_failed", message, { details: { faults: issues } });
  }
}

export async function requireValidTool(tool: ToolDefinition): Promise<void> {
  const issues = await toolIssues([tool]);
  if (issues.length > 0) throw validationError(issues);
}

/**
 * The setting that allows the host of a tool, if it was rejected although the agent allows it. Whether
 * the host exists is not revealed: that would map the network of the service.
 */
export function networkNote(
  { ledger }: ToolTestReport,
  { tool, tenant, allowedDomains, isOperator }: {
    tool: ToolDefinition;
    tenant: string;
    allowedDomains: readonly string[];
    isOperator: boolean;
  },
): string | undefined {
  const [first] = ledger;
  const url = isRemoteTool(tool) ? toolUrl(tool) : undefined;
  if (first?.refused === undefined || first.address !== undefined) return undefined;
  if (url === undefined || !isDomainAllowed(url, allowedDomains)) return undefined;
  return isOperator
    ? t(
      "If {host} is inside your network, add {setting} to EGRESS_ALLOW and restart the service.",
      {
        host: url.host,
        setting: `${tenant}=${url.host}`,
      },
    )
    : t("If {host} is inside your network, ask the operator to add it to EGRESS_ALLOW.", {
      host: url.host,
    });
}

/** Calls one tool of a toolset, or only lists its tools; then closes it. */
export async function testTool(
  toolset: Toolset,
  { call, runtime, signal }: {
    call: { name: string; args: unknown } | undefined;
    runtime: Pick<Runtime, "now">;
    signal: AbortSignal;
  },
): Promise<ToolTestReport> {
  const startedAt = runtime.now();
  try {
    const tools = await toolset.listTools(signal);
    const output = call && { output: await toolset.execute(call.name, call.args, { signal }) };
    return {
      ...output,
      offered: tools.map(({ name, description }) => ({ name, description })),
      ledger: [...toolset.egressCalls],
      notes: [...toolset.notes],
      ms: Math.max(0, runtime.now() - startedAt),
    };
  } finally {
    await toolset.close();
  }
}
