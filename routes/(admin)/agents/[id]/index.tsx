import { type Context, page } from "fresh";
import { AgentForm } from "@/components/AgentForm.tsx";
import { AgentHeader } from "@/components/AgentHeader.tsx";
import { DeletedAgentForm } from "@/components/DeletedAgentForm.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { NewTabLink } from "@/components/NewTabLink.tsx";
import { Notice, PageNotice } from "@/components/Notice.tsx";
import Playground from "@/islands/Playground.tsx";
import {
  type AgentFormValues,
  readAgentForm,
  toAgentPatch,
  toFormValues,
} from "@/lib/dashboard/agents/agent_form.ts";
import type { AgentFormIssues } from "@/lib/dashboard/agents/agent_form_issues.ts";
import { type EditorChoices, loadEditorChoices } from "@/lib/dashboard/agents/editor_choices.ts";
import { findAgent, findAgentVersion, parseVersion } from "@/lib/dashboard/agents/find_agent.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { flashMessageOf, withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { saveAgent } from "@/lib/dashboard/agents/save_agent.ts";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { isUuid } from "@/lib/http/request_params.ts";
import type { Agent } from "@/lib/schemas/agent.ts";
import { define, type State } from "@/utils.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const agent = await findAgent(ctx);
    if (agent === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    return page(await editorData(ctx, { agent, values: toFormValues(agent), issues: {} }));
  },

  async POST(ctx) {
    const agent = await findAgent(ctx);
    if (agent === undefined && !isUuid(ctx.params.id ?? "")) {
      return await ctx.render(<ErrorView status={404} />, { status: 404 });
    }
    const values = readAgentForm(await readForm(ctx.req, ctx.state.service.runtime));
    if (agent === undefined) return await offerNewAgent(ctx, values);
    const saved = await saveAgent(values, () => {
      const change = { patch: toAgentPatch(values), ifMatch: [Number(values.version)] };
      return ctx.state.service.agents.patch(signedIn(ctx.state).tenant, agent.id, change);
    });
    if ("agent" in saved) {
      return ctx.redirect(withFlashMessage(`/agents/${agent.id}`, "agent_saved"), 303);
    }
    const opened = await findAgentVersion(ctx, agent, parseVersion(values.version));
    const base = opened && toFormValues(opened);
    const data = await editorData(ctx, { agent, values, issues: saved.issues, base });
    return page(data, { status: saved.status });
  },
});

/** Someone else deleted the agent: offer to save the edits as a new one. */
async function offerNewAgent(ctx: Context<State>, values: AgentFormValues): Promise<Response> {
  const { id, tenant } = signedIn(ctx.state);
  const choices = await loadEditorChoices(ctx.state.service, tenant);
  return await ctx.render(<DeletedAgentForm {...{ user: id, values, choices }} />, { status: 404 });
}

/** Notices after a save of this form. Restoring a version uses another form. */
const SAVED = ["agent_saved", "agent_created"];

interface Edited {
  agent: Agent;
  values: AgentFormValues;
  issues: AgentFormIssues;
  /** The values that the form was opened with, if it shows edited values. */
  base?: AgentFormValues | undefined;
}

async function editorData(ctx: Context<State>, edited: Edited) {
  const user = signedIn(ctx.state);
  const choices = await loadEditorChoices(ctx.state.service, user.tenant);
  return { ...edited, choices, user: user.id, editor: isEditor(user) };
}

export default define.page<typeof handler>(({ data, url }) => {
  const { agent, editor, issues } = data;
  const { form: _, ...fieldIssues } = issues;
  const rejected = unsavedTitle(issues);
  const path = `/agents/${agent.id}`;
  return (
    <>
      <AgentHeader agent={agent} tab="editor" editor={editor} titlePrefix={rejected} />
      <PageNotice notice={flashMessageOf(url)} />
      {isConflict(data) && <Conflict {...data} />}
      <div class="editor">
        <AgentForm
          {...data}
          issues={isConflict(data) ? fieldIssues : issues}
          action={path}
          submit="Save changes"
          readOnly={!editor}
          saved={SAVED.includes(url.searchParams.get("notice") ?? "")}
        />
        {editor && (
          <aside>
            <Playground path={path} version={agent.version} models={modelNames(data.choices)} />
          </aside>
        )}
      </div>
    </>
  );
});

function isConflict({ agent, values }: Edited): boolean {
  return values.version !== String(agent.version);
}

/** The browser stores the edits, and the first link's page offers to restore them. */
function Conflict({ agent, values, issues }: Edited) {
  const path = `/agents/${agent.id}`;
  return (
    <div class="conflict stack">
      {issues.form !== undefined && <Notice kind="error" focused>{issues.form}</Notice>}
      <p class="form-actions">
        <a class="button" href={path} aria-current="false">Open current version</a>
        <NewTabLink
          class="button"
          href={`${path}/versions/${agent.version}?with=${values.version}`}
        >
          View their changes
        </NewTabLink>
      </p>
    </div>
  );
}

function modelNames({ models }: EditorChoices): { value: string; label: string }[] {
  return models.flatMap((group) =>
    group.models.map(({ vendor, model }) => ({
      value: `${vendor}/${model}`,
      label: `${group.label}: ${model}`,
    }))
  );
}
