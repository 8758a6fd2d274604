import { ErrorView } from "@/components/ErrorView.tsx";
import { findSource } from "@/lib/dashboard/knowledge/source_form.ts";
import { define } from "@/utils.ts";

/** Reads a website again. */
export const handler = define.handlers({
  async POST(ctx) {
    const found = await findSource(ctx);
    if (found === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    await ctx.state.service.webSources.refresh(found.of);
    return ctx.redirect(`/knowledge/${found.base.id}/sources/${found.source.id}`, 303);
  },
});
