import { ErrorView } from "@/components/ErrorView.tsx";
import { findDocument } from "@/lib/dashboard/knowledge/find_knowledge_base.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { define } from "@/utils.ts";

/** Has a document read again: after an upgrade that reads better, or when reading it failed. */
export const handler = define.handlers({
  async POST(ctx) {
    const found = await findDocument(ctx);
    if (found === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    await ctx.state.service.knowledge.reprocessDocument(found.ref);
    return ctx.redirect(withFlashMessage(`/knowledge/${found.base.id}`, "document_again"), 303);
  },
});
