import { HttpError } from "fresh";
import { renderToString } from "preact-render-to-string";
import { SharePage } from "@/components/appearance/SharePage.tsx";
import { findSharedAgent } from "@/lib/http/find_shared_agent.ts";
import { ownWidgetTag, widgetPagePolicy } from "@/lib/http/widget_page.ts";
import { define } from "@/utils.ts";

/** The hosted page of a share link: nothing but the chat. */
export const handler = define.handlers({
  async GET(ctx) {
    const { service } = ctx.state;
    const share = ctx.params.share!;
    const agent = await findSharedAgent(service, share);
    if (agent === undefined) throw new HttpError(404);
    const tag = ownWidgetTag(service, ctx.url);
    const { title, lang } = agent.appearance ?? {};
    const props = {
      ...tag,
      agentId: agent.id,
      title: title ?? agent.name,
      lang,
      sessionEndpoint: `/chat/${share}/session`,
    };
    // Rendered without Fresh, which would add attributes to the script tag.
    const html = `<!DOCTYPE html>${renderToString(<SharePage {...props} />)}`;
    return ctx.html(html, {
      headers: {
        "cache-control": "no-store",
        "content-security-policy": widgetPagePolicy(tag, "'none'"),
        // The address is the only lock: neither search engines nor other sites learn it.
        "x-robots-tag": "noindex, nofollow",
        "referrer-policy": "same-origin",
      },
    });
  },
});
