import { page } from "fresh";
import { ConfirmPage } from "@/components/ConfirmPage.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { plural } from "@/lib/dashboard/format_amount.ts";
import { AgentLinks } from "@/components/knowledge/AgentLinks.tsx";
import { findKnowledgeBase } from "@/lib/dashboard/knowledge/find_knowledge_base.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import type { AgentSearchResult } from "@/lib/store/agents/agent_search.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** Confirmation, with the agents that use the knowledge base, and deletion. */
export const handler = define.handlers({
  async GET(ctx) {
    const found = await findKnowledgeBase(ctx);
    if (found === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    if (!isEditor(signedIn(ctx.state))) {
      return await ctx.render(<ErrorView status={403} reading />, { status: 403 });
    }
    const { base, ref } = found;
    const agents = await ctx.state.service.agents.usingKnowledgeBase(ref.tenant, base.id);
    return page({ base, agents });
  },

  async POST(ctx) {
    const found = await findKnowledgeBase(ctx);
    if (found === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    await ctx.state.service.knowledge.delete(found.ref.tenant, found.base.id);
    return ctx.redirect(withFlashMessage("/knowledge", "base_deleted"), 303);
  },
});

/** What the deletion does to the agents that use the base. */
function consequence({ data, more }: AgentSearchResult): string {
  if (more) {
    return t("More than {count} agents use it and would no longer find anything:", {
      count: data.length,
    });
  }
  return plural(
    data.length,
    "{count} agent uses it and would no longer find anything:",
    "{count} agents use it and would no longer find anything:",
  );
}

export default define.page<typeof handler>(({ data: { base, agents } }) => (
  <ConfirmPage
    title={t("Delete knowledge base")}
    back={{ href: `/knowledge/${base.id}`, label: base.name }}
    action={`/knowledge/${base.id}/delete`}
    question={t("Delete {name}?", { name: base.name })}
    confirm={agents.data.length > 0 ? t("Delete anyway") : t("Delete knowledge base")}
  >
    <div class="stack">
      {agents.data.length > 0 && (
        <div>
          <p>
            <strong>{consequence(agents)}</strong>
          </p>
          <AgentLinks agents={agents} />
        </div>
      )}
      <p>
        {base.documentCount === 0 ? t("It has no documents.") : plural(
          base.documentCount,
          "Its {count} document will be deleted.",
          "Its {count} documents will be deleted.",
        )} {t("This cannot be undone.")}
      </p>
    </div>
  </ConfirmPage>
));
