import type { EmbedFacts } from "@/lib/dashboard/agents/embed_snippets.ts";
import type { Agent } from "@/lib/schemas/agent.ts";
import { scriptTag } from "@/lib/schemas/script_tag.ts";
import { CodeBlock } from "../CodeBlock.tsx";
import { Notice } from "../Notice.tsx";
import { SESSION_SNIPPETS } from "../../lib/dashboard/agents/session_snippets.ts";

/** How to embed the agent: allow the site, mint sessions, add the script tag. */
export function EmbedGuide(
  { agent, facts, editor }: { agent: Agent; facts: EmbedFacts; editor: boolean },
) {
  const origins = agent.allowedOrigins ?? [];
  return (
    <div class="guide">
      <section class="card stack" aria-labelledby="embed-origins">
        <h2 id="embed-origins">1. Allow your site</h2>
        {origins.length === 0
          ? (
            <Notice kind="warning">
              No site can embed this agent yet. Add yours to the{" "}
              <a href={`/agents/${agent.id}#allowedOrigins`} aria-current="false">
                allowed origins
              </a>.
            </Notice>
          )
          : (
            <>
              <p class="prose">These sites may embed the widget:</p>
              <ul class="tags">
                {origins.map((origin) => <li key={origin} class="tag">{origin}</li>)}
              </ul>
            </>
          )}
      </section>
      <Mint agent={agent} facts={facts} />
      <Tag agent={agent} facts={facts} />
      {editor && (
        <section class="card stack" aria-labelledby="embed-doctor">
          <h2 id="embed-doctor">4. Troubleshoot</h2>
          <p class="prose">
            The embed doctor checks the agent, the origin and the tag, and shows what to fix.
          </p>
          <div>
            <a class="button" href={`/agents/${agent.id}/embed/doctor`}>Open the embed doctor</a>
          </div>
        </section>
      )}
    </div>
  );
}

function Mint({ agent, facts }: { agent: Agent; facts: EmbedFacts }) {
  const origin = agent.allowedOrigins?.[0] ?? "https://www.example.com";
  const filled = { baseUrl: facts.baseUrl, agentId: agent.id, origin };
  return (
    <section class="card stack" aria-labelledby="embed-mint">
      <h2 id="embed-mint">2. Mint a session on your backend</h2>
      <p class="prose">
        Your backend requests a session token with an{" "}
        <a href="/api-keys" aria-current="false">API key</a> that has <code>widget:mint</code>{" "}
        and forwards the browser's Origin header unchanged. Never put the key into a page.
      </p>
      <div>
        {SESSION_SNIPPETS.map(({ language, code }, n) => (
          <details key={language} class="snippet" name="mint-snippet" open={n === 0}>
            <summary>{language}</summary>
            <CodeBlock label={`Mint with ${language}`} code={code(filled)} />
          </details>
        ))}
      </div>
    </section>
  );
}

function Tag({ agent, facts }: { agent: Agent; facts: EmbedFacts }) {
  const { scriptBase, baseUrl, integrity, hash12 } = facts;
  const pinned = `widget.v1.${hash12}.js`;
  const tagOf = (file: string) =>
    scriptTag({ src: `${scriptBase}/${file}`, integrity, apiBase: baseUrl, agentId: agent.id });
  return (
    <section class="card stack" aria-labelledby="embed-tag">
      <h2 id="embed-tag">3. Add the tag to your page</h2>
      <CodeBlock
        label="Script tag"
        code={tagOf("widget.v1.js")}
      />
      <p class="help">
        Replace <code>&lt;SESSION_TOKEN&gt;</code>{" "}
        with a newly minted token on each page load. This URL receives updates, and its hash changes
        with them.
      </p>
      <details class="more">
        <summary>Pin this release</summary>
        <CodeBlock label="Pinned script tag" code={tagOf(pinned)} />
        <p class="help">This file never changes and stays available for the next ten releases.</p>
      </details>
      <details class="more">
        <summary>Let the widget request tokens</summary>
        <p class="help">
          With <code>data-session-endpoint="/chat-session"</code> instead of{" "}
          <code>data-session-token</code>{" "}
          the widget requests a token when the visitor first sends a message, and again before it
          expires. Use this for cached and long-lived pages.
        </p>
      </details>
    </section>
  );
}
