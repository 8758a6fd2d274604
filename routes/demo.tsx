import { HttpError } from "fresh";
import { renderToString } from "preact-render-to-string";
import { DemoPage } from "@/components/DemoPage.tsx";
import { ApiError } from "@/lib/schemas/api_error.ts";
import { serviceOrigins } from "@/lib/services/demo_agent.ts";
import type { Service } from "@/lib/http/service.ts";
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
    const origin = demoOrigin(service, ctx.url);
    const { sessionToken } = await service.sessions.mintForOrigin(tenant, agent, origin);
    const src = `${service.config.cdnUrl ?? origin}/widget.v1.js`;
    const { integrity } = service.widget;
    const props = { src, integrity, origin, agentId: agent.id, sessionToken };
    // Rendered without Fresh, which would add attributes to the script tag.
    const html = `<!DOCTYPE html>${renderToString(<DemoPage {...props} />)}`;
    return ctx.html(html, {
      headers: { "cache-control": "no-store", "content-security-policy": csp(src, origin) },
    });
  },
});

/** The requested origin if it is one of this service's, else the base URL's. */
function demoOrigin(service: Service, url: URL): string {
  const own = serviceOrigins(service.baseUrl);
  return own.includes(url.origin) ? url.origin : new URL(service.baseUrl).origin;
}

/** A strict policy, as real sites have it. */
function csp(src: string, origin: string): string {
  return `default-src 'none'; script-src ${new URL(src).origin}; connect-src ${origin}; ` +
    `style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}
