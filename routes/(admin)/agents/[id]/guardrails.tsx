import { type Context, page } from "fresh";
import { AgentHeader } from "@/components/AgentHeader.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { GuardrailsForm } from "@/components/guardrails/GuardrailsForm.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { loadEditorChoices } from "@/lib/dashboard/agents/editor_choices.ts";
import { findAgent, parseVersion } from "@/lib/dashboard/agents/find_agent.ts";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { flashMessageOf, withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import {
  type GuardrailIssues,
  readGuardrailValues,
  toGuardrailValues,
} from "@/lib/dashboard/guardrails/guardrails_form.ts";
import { saveGuardrails } from "@/lib/dashboard/guardrails/save_guardrails.ts";
import { type TriedSide, tryGuardrails } from "@/lib/dashboard/guardrails/try_guardrails.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { define, type State } from "@/utils.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const agent = await findAgent(ctx);
    if (agent === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const issues: GuardrailIssues = {};
    const values = toGuardrailValues(agent.guardrails);
    return page({ agent, values, issues, sample: "", tried: noTrial(), ...await shared(ctx) });
  },

  async POST(ctx) {
    const agent = await findAgent(ctx);
    if (agent === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { service } = ctx.state;
    const { tenant } = signedIn(ctx.state);
    const form = await readForm(ctx.req, service.runtime);
    const values = readGuardrailValues(form);
    const sample = form.get("sample") ?? "";
    if (form.get("action") === "try") {
      const issues: GuardrailIssues = {};
      const tried: TriedSide[] | undefined = tryGuardrails(values, sample);
      return page({ agent, values, issues, sample, tried, ...await shared(ctx) });
    }
    const opened = parseVersion(form.get("version")) ?? agent.version;
    const rejected = await saveGuardrails(service.agents, { tenant, agent, values, opened });
    if (rejected === undefined) {
      return ctx.redirect(withFlashMessage(`/agents/${agent.id}/guardrails`, "agent_saved"), 303);
    }
    const { issues, status } = rejected;
    return page({ agent, values, issues, sample, tried: noTrial(), ...await shared(ctx) }, {
      status,
    });
  },
});

function noTrial(): TriedSide[] | undefined {
  return undefined;
}

async function shared(ctx: Context<State>) {
  const user = signedIn(ctx.state);
  const { models } = await loadEditorChoices(ctx.state.service, user.tenant);
  return { models, editor: isEditor(user) };
}

export default define.page<typeof handler>(({ data, url }) => {
  const { agent, editor, ...form } = data;
  return (
    <>
      <AgentHeader
        agent={agent}
        tab="guardrails"
        editor={editor}
        titlePrefix={unsavedTitle({ ...form.issues })}
      />
      <PageNotice notice={flashMessageOf(url)} />
      <GuardrailsForm
        action={`/agents/${agent.id}/guardrails`}
        version={agent.version}
        readOnly={!editor}
        {...form}
      />
    </>
  );
});
