import type { Agent } from "@/lib/wire/agent.ts";
import { CodeBlock } from "./CodeBlock.tsx";
import { Notice } from "./Notice.tsx";

/** What the tag is made of. */
export interface EmbedFacts {
  /** The service's own address, without a trailing slash. */
  baseUrl: string;
  /** Where the script is served from. */
  scriptBase: string;
  integrity: string;
  /** Names the immutable copy of the script. */
  hash12: string;
}

/** How to put the agent on a page: mint a token on the server, print the tag. */
export function EmbedCard({ agent, facts }: { agent: Agent; facts: EmbedFacts }) {
  const origin = agent.allowedOrigins?.[0];
  return (
    <section class="card stack embed" aria-labelledby="embed-title">
      <h2 id="embed-title">Embed</h2>
      {origin === undefined && (
        <Notice kind="warning">
          No page may embed this agent yet. Add your site under allowed origins.
        </Notice>
      )}
      <p class="prose">
        Your backend asks for a session token with an API key that has{" "}
        <code>widget:mint</code>, then prints the tag with it.
      </p>
      <CodeBlock label="1. Mint a token" code={mintCommand(agent.id, { facts, origin })} />
      <CodeBlock
        label="2. Script tag"
        code={scriptTag(agent.id, { facts, file: "widget.v1.js" })}
      />
      <details class="more">
        <summary>Pin this release</summary>
        <p class="help">
          The address above follows updates, and its hash changes with them. This one never changes.
        </p>
        <CodeBlock
          label="Pinned script tag"
          code={scriptTag(agent.id, { facts, file: `widget.v1.${facts.hash12}.js` })}
        />
      </details>
    </section>
  );
}

export function scriptTag(agentId: string, tag: { facts: EmbedFacts; file: string }): string {
  const { facts, file } = tag;
  return `<script src="${facts.scriptBase}/${file}"
  integrity="${facts.integrity}"
  crossorigin="anonymous"
  data-service-widget
  data-api-base="${facts.baseUrl}"
  data-agent-id="${agentId}"
  data-session-token="<SESSION_TOKEN>"></script>`;
}

function mintCommand(
  agentId: string,
  options: { facts: EmbedFacts; origin: string | undefined },
): string {
  const { facts, origin = "https://www.example.com" } = options;
  return `curl ${facts.baseUrl}/v1/widget/session \\
  -H "Authorization: Bearer <API_KEY>" \\
  -H "Origin: ${origin}" \\
  -H "Content-Type: application/json" \\
  -d '{"agentId":"${agentId}"}'`;
}
