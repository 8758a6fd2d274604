import { scriptTag } from "@/lib/schemas/embed_code.ts";

/** What the page and its tag are made of. */
export interface DemoPageProps {
  /** Address of the widget script. */
  src: string;
  integrity: string;
  /** Where the widget calls the API: the origin of the page itself. */
  origin: string;
  agentId: string;
  sessionToken: string;
}

/** A plain page, as a site owner would write it, with the specification's tag and nothing more. */
export function DemoPage(data: DemoPageProps) {
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
            It is a plain page with one script tag. Open the button in the corner and say something:
            the answer streams from the embedded demo model, through the same limits, accounting and
            protocol that a real vendor's would.
          </p>
          <h2>The tag on this page</h2>
          <pre tabindex={0}><code>{scriptTag({ ...data, apiBase: data.origin })}</code></pre>
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
  );
}
