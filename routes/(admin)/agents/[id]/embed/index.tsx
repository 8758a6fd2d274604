import { page } from "fresh";
import { AgentHeader } from "@/components/AgentHeader.tsx";
import { EmbedGuide } from "@/components/embed/EmbedGuide.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { embedFacts } from "@/lib/dashboard/agents/embed_snippets.ts";
import { findAgent } from "@/lib/dashboard/agents/find_agent.ts";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const agent = await findAgent(ctx);
    if (agent === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const facts = embedFacts(ctx.state.service);
    return page({ agent, facts, editor: isEditor(signedIn(ctx.state)) });
  },
});

export default define.page<typeof handler>(({ data }) => (
  <>
    <AgentHeader agent={data.agent} tab="embed" editor={data.editor} />
    <EmbedGuide {...data} />
  </>
));
