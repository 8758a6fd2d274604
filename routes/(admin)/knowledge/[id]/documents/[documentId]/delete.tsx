import { page } from "fresh";
import { ConfirmPage } from "@/components/ConfirmPage.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { findDocument } from "@/lib/dashboard/knowledge/find_knowledge_base.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** The confirmation without scripts, and the deletion for both kinds of confirmation. */
export const handler = define.handlers({
  async GET(ctx) {
    const found = await findDocument(ctx);
    if (found === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    if (isEditor(signedIn(ctx.state))) return page(found);
    return await ctx.render(<ErrorView status={403} reading />, { status: 403 });
  },

  async POST(ctx) {
    const found = await findDocument(ctx);
    if (found === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    await ctx.state.service.knowledge.deleteDocument(found.ref);
    return ctx.redirect(withFlashMessage(`/knowledge/${found.base.id}`, "document_deleted"), 303);
  },
});

export default define.page<typeof handler>(({ data: { base, document } }) => (
  <ConfirmPage
    title={t("Delete document")}
    back={{ href: `/knowledge/${base.id}`, label: base.name }}
    action={`/knowledge/${base.id}/documents/${document.id}/delete`}
    question={t("Delete {title}?", { title: document.title })}
    confirm={t("Delete document")}
  >
    <p>{t("Agents can no longer find it. This cannot be undone.")}</p>
  </ConfirmPage>
));
