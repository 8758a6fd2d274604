import {
  readAgentFields,
  readAgentForm,
  toAgentBody,
  toAgentPatch,
  toFormValues,
} from "@/lib/dashboard/agents/agent_form.ts";
import type { AgentFormIssues } from "@/lib/dashboard/agents/agent_form_issues.ts";
import { loadToolReport, withToolProblems } from "@/lib/dashboard/agents/load_tool_report.ts";
import { checkAppearance, isAppearanceForm } from "@/lib/dashboard/appearance/check_appearance.ts";
import { jsonHandler } from "@/lib/dashboard/json_handler.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { toFormIssues } from "@/lib/dashboard/agents/save_agent.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { variableControl } from "@/lib/dashboard/agents/variable_rows.ts";
import { isUuid } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

/** Validates the editor's form as a change of `?agent=<id>`, or as a new agent, with all tools. */
export const handler = define.handlers({
  POST: jsonHandler(async (ctx) => {
    const { agents, runtime } = ctx.state.service;
    const form = await readForm(ctx.req, runtime);
    const values = readAgentForm(form);
    const { tenant } = signedIn(ctx.state);
    const id = ctx.url.searchParams.get("agent") ?? "";
    if (isUuid(id) && isAppearanceForm(form)) {
      const faults = await checkAppearance(agents, { tenant, agentId: id.toLowerCase(), form });
      return Response.json({ faults, toolReport: { problems: [] } });
    }
    const validation: Promise<unknown> = isUuid(id)
      ? agents.preview(tenant, id.toLowerCase(), toAgentPatch(readAgentFields(form)))
      : agents.check(tenant, toAgentBody(values));
    const issues: AgentFormIssues = await validation
      .then(() => ({}))
      .catch((error) => toFormIssues(error, values) ?? Promise.reject(error));
    if (!form.has("tools")) return Response.json({ faults: issues, toolReport: { problems: [] } });
    const stored = isUuid(id) ? await agents.find(tenant, id.toLowerCase()) : undefined;
    const variables = stored && !form.has(variableControl(0, "name"))
      ? toFormValues(stored).variables
      : values.variables;
    const toolReport = await loadToolReport(ctx, { ...values, variables }, stored?.tools);
    return Response.json({ faults: withToolProblems(issues, toolReport), toolReport });
  }),
});
