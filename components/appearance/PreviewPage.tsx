import type { OwnWidgetTag } from "@/lib/http/widget_page.ts";

/** A site like a customer's, drawn in gray so that the widget stands out. */
export function PreviewPage(
  { src, integrity, apiBase, agentId, sessionEndpoint }: OwnWidgetTag & {
    agentId: string;
    sessionEndpoint: string;
  },
) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Example site</title>
        <link rel="stylesheet" href="/preview.css" />
      </head>
      <body>
        <main aria-hidden="true">
          <div class="bar" />
          <div class="hero" />
          <div class="line" />
          <div class="line" />
          <div class="line short" />
        </main>
        <script
          src={src}
          integrity={integrity}
          crossorigin="anonymous"
          data-service-widget=""
          data-api-base={apiBase}
          data-agent-id={agentId}
          data-session-endpoint={sessionEndpoint}
          data-open=""
        />
      </body>
    </html>
  );
}
