import type { OwnWidgetTag } from "@/lib/http/widget_page.ts";

/** A page with nothing but the chat. */
export function SharePage(
  { src, integrity, apiBase, agentId, sessionEndpoint, title, lang }: OwnWidgetTag & {
    agentId: string;
    sessionEndpoint: string;
    title?: string | undefined;
    lang?: string | undefined;
  },
) {
  return (
    <html lang={lang ?? "en"}>
      <head>
        <meta charset="utf-8" />
        <meta
          name="viewport"
          content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content"
        />
        <meta name="robots" content="noindex, nofollow" />
        <title>{title}</title>
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/share.css" />
      </head>
      <body>
        <noscript>This chat needs JavaScript.</noscript>
        <script
          src={src}
          integrity={integrity}
          crossorigin="anonymous"
          data-service-widget=""
          data-api-base={apiBase}
          data-agent-id={agentId}
          data-session-endpoint={sessionEndpoint}
          data-layout="page"
          {...title !== undefined && { "data-title": title }}
        />
      </body>
    </html>
  );
}
