import { type Context, page } from "fresh";
import { AgentForm } from "@/components/AgentForm.tsx";
import { AgentHeader } from "@/components/AgentHeader.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { Notice } from "@/components/Notice.tsx";
import Playground from "@/islands/Playground.tsx";
import {
  type AgentFormValues,
  readAgentForm,
  toAgentPatch,
  toFormValues,
} from "@/lib/http/dashboard/agent_form.ts";
import type { AgentFormFaults } from "@/lib/http/dashboard/agent_form_faults.ts";
import { type EditorChoices, editorChoices } from "@/lib/http/dashboard/editor_choices.ts";
import { findAgent } from "@/lib/http/dashboard/find_agent.ts";
import { readForm } from "@/lib/http/dashboard/form.ts";
import { noticeText, withNotice } from "@/lib/http/dashboard/notices.ts";
import { saveAgent } from "@/lib/http/dashboard/save_agent.ts";
import { isEditor, signedIn } from "@/lib/http/dashboard/signed_in.ts";
import type { Agent } from "@/lib/wire/agent.ts";
import { define, type State } from "@/utils.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const agent = await findAgent(ctx);
    if (agent === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    return page(await editorData(ctx, { agent, values: toFormValues(agent), faults: {} }));
  },

  async POST(ctx) {
    const agent = await findAgent(ctx);
    if (agent === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const values = readAgentForm(await readForm(ctx.req, ctx.state.service.system));
    const saved = await saveAgent(values, () => {
      const change = { patch: toAgentPatch(values), ifMatch: [Number(values.version)] };
      return ctx.state.service.agents.patch(signedIn(ctx.state).tenant, agent.id, change);
    });
    if ("agent" in saved) {
      return ctx.redirect(withNotice(`/agents/${agent.id}`, "agent_saved"), 303);
    }
    const data = await editorData(ctx, { agent, values, faults: saved.faults });
    return page(data, { status: saved.status });
  },
});

interface Edited {
  agent: Agent;
  values: AgentFormValues;
  faults: AgentFormFaults;
}

async function editorData(ctx: Context<State>, edited: Edited) {
  const user = signedIn(ctx.state);
  const choices = await editorChoices(ctx.state.service, user.tenant);
  return { ...edited, choices, editor: isEditor(user) };
}

export default define.page<typeof handler>(({ data, url }) => {
  const { agent, editor } = data;
  const notice = noticeText(url);
  const path = `/agents/${agent.id}`;
  return (
    <>
      <AgentHeader agent={agent} tab="editor" editor={editor} />
      {notice && <Notice kind="done">{notice}</Notice>}
      <Conflict {...data} />
      <div class="editor">
        <AgentForm
          {...data}
          action={path}
          submit="Save changes"
          readOnly={!editor}
          saved={notice !== undefined}
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

/** What was typed is kept in the browser, and offered again where the link leads. */
function Conflict({ agent, values }: Edited) {
  if (values.version === String(agent.version)) return null;
  const path = `/agents/${agent.id}`;
  return (
    <p class="form-actions conflict">
      <a class="button" href={path} aria-current="false">Open it as it is now</a>
      <a class="button" href={`${path}/versions/${agent.version}?with=${values.version}`}>
        What they changed
      </a>
    </p>
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
