import { HttpError } from "fresh";
import { renderToString } from "preact-render-to-string";
import { PreviewPage } from "@/components/appearance/PreviewPage.tsx";
import { findAgent } from "@/lib/dashboard/agents/find_agent.ts";
import { ownWidgetTag, widgetPagePolicy } from "@/lib/http/widget_page.ts";
import { define } from "@/utils.ts";

/** An example site with the agent's widget, to be framed by the page of its appearance. */
export const handler = define.handlers({
  async GET(ctx) {
    const agent = await findAgent(ctx);
    if (agent === undefined) throw new HttpError(404);
    const tag = ownWidgetTag(ctx.state.service, ctx.url);
    const sessionEndpoint = `/agents/${agent.id}/appearance/session`;
    ctx.state.ownPolicy = widgetPagePolicy(tag, "'self'");
    const props = { ...tag, agentId: agent.id, sessionEndpoint };
    // Rendered without Fresh, which would add attributes to the script tag.
    const html = `<!DOCTYPE html>${renderToString(<PreviewPage {...props} />)}`;
    return ctx.html(html, { headers: { "x-frame-options": "SAMEORIGIN" } });
  },
});
