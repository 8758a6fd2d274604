import type { OwnWidgetTag } from "@/lib/http/widget_page.ts";
import { scriptTag } from "@/lib/schemas/script_tag.ts";

/** A plain page, as a site owner would write it, with the script tag and nothing more. */
export function DemoPage(data: OwnWidgetTag & { agentId: string; sessionToken: string }) {
  return (
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
            A plain page with one script tag. Open the chat in the corner and send a message. The
            answer streams from the built-in demo model, with the same limits, accounting and
            protocol as a real model provider.
          </p>
          <h2>The tag on this page</h2>
          <pre tabindex={0}><code>{scriptTag(data)}</code></pre>
          <h2>Add it to your site</h2>
          <ol>
            <li>
              Sign in to the <a href="/">dashboard</a> and create an agent under “Agents”.
            </li>
            <li>Add your site to its allowed origins, and create an API key under “API keys”.</li>
            <li>
              Mint a session on your backend with <code>POST /v1/widget/session</code>{" "}
              and add the tag to your page.
            </li>
          </ol>
        </main>
        <script
          src={data.src}
          integrity={data.integrity}
          crossorigin="anonymous"
          data-service-widget=""
          data-api-base={data.apiBase}
          data-agent-id={data.agentId}
          data-session-token={data.sessionToken}
        />
      </body>
    </html>
  );
}
