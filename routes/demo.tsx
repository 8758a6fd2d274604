import { HttpError, page } from "fresh";
import { ownOrigins } from "@/lib/demo_agent.ts";
import type { Service } from "@/lib/service.ts";
import { define } from "@/utils.ts";

/** A plain page, as a site owner would write it: nothing of the dashboard's comes with it. */
export const config = { skipAppWrapper: true, skipInheritedLayouts: true };

export const handler = define.handlers({
  async GET(ctx) {
    const { service } = ctx.state;
    if (service.demoAgent === undefined) throw new HttpError(404);
    const { tenant, id } = service.demoAgent;
    const agent = await service.agents.get(tenant, id).catch(() => {
      throw new HttpError(404);
    });
    const origin = demoOrigin(service, ctx.url);
    const { sessionToken } = await service.sessions.mintForOrigin(tenant, agent, origin);
    const src = `${service.config.cdnUrl ?? origin}/widget.v1.js`;
    const headers = { "cache-control": "no-store", "content-security-policy": csp(src, origin) };
    const { integrity } = service.widget;
    return page({ src, integrity, origin, agentId: agent.id, sessionToken }, { headers });
  },
});

/** The name of this machine that the browser was given, if it is one of ours; else the base URL. */
function demoOrigin(service: Service, url: URL): string {
  const own = ownOrigins(service.baseUrl);
  return own.includes(url.origin) ? url.origin : new URL(service.baseUrl).origin;
}

/** A strict policy of the kind the widget has to live with on real sites. */
function csp(src: string, origin: string): string {
  return `default-src 'none'; script-src ${new URL(src).origin}; connect-src ${origin}; ` +
    `style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

export default define.page<typeof handler>(({ data }) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
      <title>Widget demo</title>
      <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
      <link rel="stylesheet" href="/demo.css" />
    </head>
    <body>
      <main>
        <p class="eyebrow">Demo</p>
        <h1>This page has a chat agent</h1>
        <p class="lead">
          It is a plain page with one script tag. Open the button in the corner and say something:
          the answer streams from the embedded demo model, through the same limits, accounting and
          protocol that a real vendor's would.
        </p>
        <h2>The tag on this page</h2>
        <pre tabindex={0}><code>{tagText(data)}</code></pre>
        <h2>Make it yours</h2>
        <ol>
          <li>
            Sign in to the <a href="/">dashboard</a> and create an agent under Build, Agents.
          </li>
          <li>Add your site's origin to it, and create an API key under Build, API keys.</li>
          <li>
            Let your backend mint a session with <code>POST /v1/widget/session</code>{" "}
            and write the tag into your page.
          </li>
        </ol>
      </main>
      <script
        src={data.src}
        integrity={data.integrity}
        crossorigin="anonymous"
        data-service-widget=""
        data-api-base={data.origin}
        data-agent-id={data.agentId}
        data-session-token={data.sessionToken}
      />
    </body>
  </html>
));

function tagText(data: { src: string; integrity: string; origin: string; agentId: string }) {
  return `<script src="${data.src}"
        integrity="${data.integrity}"
        crossorigin="anonymous"
        data-service-widget
        data-api-base="${data.origin}"
        data-agent-id="${data.agentId}"
        data-session-token="<SESSION_TOKEN>"></script>`;
}
