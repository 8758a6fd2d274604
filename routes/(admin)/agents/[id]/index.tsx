import { type Context, page } from "fresh";
import { AgentForm } from "@/components/AgentForm.tsx";
import { ConfirmForm } from "@/components/ConfirmForm.tsx";
import { EmbedCard, type EmbedFacts } from "@/components/EmbedCard.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { Notice } from "@/components/Notice.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import CopyButton from "@/islands/CopyButton.tsx";
import DialogLink from "@/islands/DialogLink.tsx";
import {
  type AgentFormValues,
  readAgentForm,
  toAgentPatch,
  toFormValues,
} from "@/lib/http/agent_form.ts";
import type { AgentFormFaults } from "@/lib/http/agent_form_faults.ts";
import { findAgent } from "@/lib/http/find_agent.ts";
import { readForm } from "@/lib/http/form.ts";
import { modelGroups } from "@/lib/http/model_groups.ts";
import { noticeText, withNotice } from "@/lib/http/notices.ts";
import { saveAgent } from "@/lib/http/save_agent.ts";
import { isEditor, signedIn } from "@/lib/http/signed_in.ts";
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
  const { service } = ctx.state;
  const user = signedIn(ctx.state);
  const facts: EmbedFacts = {
    baseUrl: service.baseUrl,
    scriptBase: service.config.cdnUrl ?? service.baseUrl,
    integrity: service.widget.integrity,
    hash12: service.widget.hash12,
  };
  const models = await modelGroups(service, user.tenant);
  return { ...edited, facts, models, editor: isEditor(user) };
}

export default define.page<typeof handler>(({ data, url }) => {
  const { agent, editor } = data;
  const notice = noticeText(url);
  const path = `/agents/${agent.id}`;
  return (
    <>
      <PageHeader title={agent.name} back={{ href: "/agents", label: "Agents" }}>
        {editor && (
          <DialogLink
            href={`${path}/delete`}
            label="Delete"
            class="button"
            title={`Delete ${agent.name}`}
          >
            <ConfirmForm action={`${path}/delete`} title={`Delete ${agent.name}?`} confirm="Delete">
              <DeleteWarning />
            </ConfirmForm>
          </DialogLink>
        )}
      </PageHeader>
      <p class="agent-id">
        <span class="label">Agent id</span>
        <code>{agent.id}</code>
        <CopyButton text={agent.id} what="agent id" />
      </p>
      {notice && <Notice kind="done">{notice}</Notice>}
      <div class="editor">
        <AgentForm {...data} action={path} submit="Save changes" readOnly={!editor} />
        <aside>
          <EmbedCard agent={agent} facts={data.facts} />
        </aside>
      </div>
    </>
  );
});

function DeleteWarning() {
  return (
    <p>
      Its widget stops answering at once, and its earlier versions go with it. This cannot be
      undone.
    </p>
  );
}
