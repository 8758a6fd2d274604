import { page } from "fresh";
import { ConfirmPage } from "@/components/ConfirmPage.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { findAgent } from "@/lib/http/find_agent.ts";
import { withNotice } from "@/lib/http/notices.ts";
import { signedIn } from "@/lib/http/signed_in.ts";
import { define } from "@/utils.ts";

/** Asks without scripts, and deletes for both ways of asking. */
export const handler = define.handlers({
  async GET(ctx) {
    const agent = await findAgent(ctx);
    if (agent === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    return page(agent);
  },

  async POST(ctx) {
    const agent = await findAgent(ctx);
    if (agent === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    await ctx.state.service.agents.delete(signedIn(ctx.state).tenant, agent.id);
    return ctx.redirect(withNotice("/agents", "agent_deleted"), 303);
  },
});

export default define.page<typeof handler>(({ data: agent }) => (
  <ConfirmPage
    title="Delete agent"
    back={{ href: `/agents/${agent.id}`, label: agent.name }}
    action={`/agents/${agent.id}/delete`}
    question={`Delete ${agent.name}?`}
    confirm="Delete"
  >
    <p>
      Its widget stops answering at once, and its earlier versions go with it. This cannot be
      undone.
    </p>
  </ConfirmPage>
));
