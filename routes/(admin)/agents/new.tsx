import { type Context, page } from "fresh";
import { AgentForm } from "@/components/AgentForm.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { TemplatePicker } from "@/components/TemplatePicker.tsx";
import {
  type AgentFormValues,
  NEW_AGENT,
  readAgentForm,
  toAgentBody,
  toFormValues,
} from "@/lib/dashboard/agents/agent_form.ts";
import type { AgentFormIssues } from "@/lib/dashboard/agents/agent_form_issues.ts";
import { AGENT_TEMPLATES, findTemplate } from "@/lib/dashboard/agents/agent_templates.ts";
import { type EditorChoices, loadEditorChoices } from "@/lib/dashboard/agents/editor_choices.ts";
import { loadToolReport, withToolProblems } from "@/lib/dashboard/agents/load_tool_report.ts";
import type { ToolReport } from "@/lib/dashboard/agents/tool_problem.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { saveAgent } from "@/lib/dashboard/agents/save_agent.ts";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { isUuid } from "@/lib/http/request_params.ts";
import { cutText } from "@/lib/platform/cut_text.ts";
import { FIELD_BOUNDS } from "@/lib/schemas/limits.ts";
import { define, type State } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

interface Data {
  /** Id of the signed-in user. */
  user: string;
  values: AgentFormValues;
  issues: AgentFormIssues;
  choices: EditorChoices;
  /** Of the tools of a rejected form. */
  toolReport?: ToolReport;
  /** Undefined for a copy and for edited values. */
  template?: string;
}

export const handler = define.handlers({
  async GET(ctx) {
    const user = signedIn(ctx.state);
    if (!isEditor(user)) {
      return await ctx.render(<ErrorView status={403} reading />, { status: 403 });
    }
    const choices = await loadEditorChoices(ctx.state.service, user.tenant);
    const copied = await copyOf(ctx);
    if (copied !== undefined) {
      return page<Data>({ user: user.id, values: copied, issues: {}, choices });
    }
    const template = findTemplate(ctx.url.searchParams.get("template"));
    const first = choices.models[0]?.models[0];
    const model = first === undefined ? "" : `${first.vendor}/${first.model}`;
    const values = { ...NEW_AGENT, model, ...template.values };
    return page<Data>({ user: user.id, values, issues: {}, choices, template: template.id });
  },

  async POST(ctx) {
    const { service } = ctx.state;
    const { id: user, tenant } = signedIn(ctx.state);
    const values = readAgentForm(await readForm(ctx.req, ctx.state.service.runtime));
    const saved = await saveAgent(
      values,
      () => service.agents.create(tenant, toAgentBody(values)),
    );
    if ("agent" in saved) {
      return ctx.redirect(withFlashMessage(`/agents/${saved.agent.id}`, "agent_created"), 303);
    }
    const choices = await loadEditorChoices(service, tenant);
    const toolReport = await loadToolReport(ctx, values);
    const issues = saved.status === 400 ? withToolProblems(saved.issues, toolReport) : saved.issues;
    return page<Data>({ user, values, issues, choices, toolReport }, { status: saved.status });
  },
});

/** Form values of the agent in `?from=`, with a new name. Stores nothing. */
async function copyOf(ctx: Context<State>): Promise<AgentFormValues | undefined> {
  const id = ctx.url.searchParams.get("from") ?? "";
  const { tenant } = signedIn(ctx.state);
  const agent = isUuid(id) ? await ctx.state.service.agents.find(tenant, id) : undefined;
  if (agent === undefined) return undefined;
  const name = cutText(t("Copy of {name}", { name: agent.name }), 0, FIELD_BOUNDS.agentName);
  return { ...toFormValues(agent), name, version: "" };
}

export default define.page<typeof handler>(({ data }) => (
  <>
    <PageHeader
      title={t("New agent")}
      titlePrefix={unsavedTitle(data.issues)}
      back={{ href: "/agents", label: t("Agents") }}
    />
    <TemplatePicker templates={AGENT_TEMPLATES} chosen={data.template} />
    <AgentForm
      {...data}
      action="/agents/new"
      submit={t("Create agent")}
      readOnly={false}
      saved={false}
    />
  </>
));
