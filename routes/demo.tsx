import { HttpError } from "fresh";
import { renderToString } from "preact-render-to-string";
import { DemoPage } from "@/components/DemoPage.tsx";
import { ApiError } from "@/lib/schemas/api_error.ts";
import { ownWidgetTag, widgetPagePolicy } from "@/lib/http/widget_page.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { service } = ctx.state;
    await service.demoReady;
    if (service.demoAgent === undefined) throw new HttpError(404);
    // Each load stores a session, so it counts like a mint under /v1.
    await ctx.state.rateLimiter.count();
    const { tenant, id } = service.demoAgent;
    const agent = await service.agents.get(tenant, id).catch((error) => {
      const isGone = error instanceof ApiError && error.code === "not_found";
      throw isGone ? new HttpError(404) : error;
    });
    const tag = ownWidgetTag(service, ctx.url);
    const { sessionToken } = await service.sessions.mintForOrigin(tenant, agent, tag.apiBase);
    const props = { ...tag, agentId: agent.id, sessionToken };
    // Rendered without Fresh, which would add attributes to the script tag.
    const html = `<!DOCTYPE html>${renderToString(<DemoPage {...props} />)}`;
    return ctx.html(html, {
      headers: {
        "cache-control": "no-store",
        "content-security-policy": widgetPagePolicy(tag, "'none'"),
      },
    });
  },
});
