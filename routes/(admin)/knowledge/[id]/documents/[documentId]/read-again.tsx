import { ErrorView } from "@/components/ErrorView.tsx";
import { findDocument } from "@/lib/dashboard/knowledge/find_knowledge_base.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { define } from "@/utils.ts";

/** Processes a document again, after a failure or an upgrade with a better parser. */
export const handler = define.handlers({
  async POST(ctx) {
    const found = await findDocument(ctx);
    if (found === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    await ctx.state.service.knowledge.reprocessDocument(found.ref);
    return ctx.redirect(withFlashMessage(`/knowledge/${found.base.id}`, "document_again"), 303);
  },
});
