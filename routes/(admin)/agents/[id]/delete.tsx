import { page } from "fresh";
import { DeleteAgentForm } from "@/components/DeleteAgentForm.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { findAgent } from "@/lib/dashboard/agents/find_agent.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import type { Agent } from "@/lib/schemas/agent.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

interface Data {
  agent: Agent;
  typed: string;
  issue?: string;
}

/** The confirmation without scripts, and the deletion for both kinds of confirmation. */
export const handler = define.handlers({
  async GET(ctx) {
    const agent = await findAgent(ctx);
    if (agent === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    return page<Data>({ agent, typed: "" });
  },

  async POST(ctx) {
    const agent = await findAgent(ctx);
    if (agent === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const form = await readForm(ctx.req, ctx.state.service.runtime);
    const typed = form.get("confirmName") ?? "";
    if (typed.trim() !== agent.name.trim()) {
      const issue = t("The name does not match.");
      return page<Data>({ agent, typed, issue }, { status: 400 });
    }
    await ctx.state.service.agents.delete(signedIn(ctx.state).tenant, agent.id);
    return ctx.redirect(withFlashMessage("/agents", "agent_deleted"), 303);
  },
});

export default define.page<typeof handler>(({ data }) => {
  const { agent } = data;
  const back = { href: `/agents/${agent.id}`, label: agent.name };
  return (
    <>
      <PageHeader
        title={t("Delete agent")}
        titlePrefix={data.issue && t("Not deleted")}
        back={back}
      />
      <div class="card narrow">
        <DeleteAgentForm {...data} cancelHref={back.href} />
      </div>
    </>
  );
});
