import { page } from "fresh";
import { ErrorView } from "@/components/ErrorView.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { BasePage } from "@/components/knowledge/BasePage.tsx";
import { ApiError } from "@/lib/schemas/api_error.ts";
import {
  findKnowledgeBase,
  loadKnowledgeBasePage,
} from "@/lib/dashboard/knowledge/find_knowledge_base.ts";
import { flashMessageOf } from "@/lib/dashboard/flash_messages.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const found = await findKnowledgeBase(ctx);
    if (found === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    try {
      return page(await loadKnowledgeBasePage(ctx, found));
    } catch (error) {
      // A cursor from an old bookmark: the list itself is what was wanted.
      if (!(error instanceof ApiError) || error.status !== 400) throw error;
      return ctx.redirect(`/knowledge/${found.base.id}`, 303);
    }
  },
});

export default define.page<typeof handler>(({ data, url }) => (
  <BasePage {...data} notice={<PageNotice notice={flashMessageOf(url)} />} />
));
