import { page } from "fresh";
import { AgentHeader } from "@/components/AgentHeader.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { HandoffForm } from "@/components/handoff/HandoffForm.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { findAgent, parseVersion } from "@/lib/dashboard/agents/find_agent.ts";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { flashMessageOf, withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import {
  type HandoffIssues,
  readHandoffValues,
  toHandoffValues,
} from "@/lib/dashboard/handoff/handoff_form.ts";
import { saveHandoff } from "@/lib/dashboard/handoff/save_handoff.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const agent = await findAgent(ctx);
    if (agent === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const values = toHandoffValues(agent.handoff);
    const issues: HandoffIssues = {};
    return page({ agent, values, issues, editor: isEditor(signedIn(ctx.state)) });
  },

  async POST(ctx) {
    const agent = await findAgent(ctx);
    if (agent === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { service } = ctx.state;
    const user = signedIn(ctx.state);
    const form = await readForm(ctx.req, service.runtime);
    const values = readHandoffValues(form);
    const opened = parseVersion(form.get("version")) ?? agent.version;
    const { tenant } = user;
    const rejected = await saveHandoff(service.agents, { tenant, agent, values, opened });
    if (rejected === undefined) {
      const path = `/agents/${agent.id}/handoff`;
      return ctx.redirect(withFlashMessage(path, "agent_saved"), 303);
    }
    const { issues, status } = rejected;
    return page({ agent, values, issues, editor: isEditor(user) }, { status });
  },
});

export default define.page<typeof handler>(({ data, url }) => {
  const { agent, values, issues, editor } = data;
  return (
    <>
      <AgentHeader
        agent={agent}
        tab="handoff"
        editor={editor}
        titlePrefix={unsavedTitle({ ...issues })}
      />
      <PageNotice notice={flashMessageOf(url)} />
      <HandoffForm
        action={`/agents/${agent.id}/handoff`}
        version={agent.version}
        readOnly={!editor}
        {...{ values, issues }}
      />
    </>
  );
});
