import { type Backend, BACKENDS } from "@/lib/dashboard/embed/backends.ts";
import type { EmbedFacts } from "@/lib/dashboard/embed/embed_facts.ts";
import type { Agent } from "@/lib/schemas/agent.ts";
import { CodeBlock } from "../CodeBlock.tsx";
import { AllowedSites, type AllowedSitesProps } from "./AllowedSites.tsx";
import { rich, t } from "@/lib/dashboard/texts/translate.ts";

export interface EmbedGuideProps extends Omit<AllowedSitesProps, "path"> {
  agent: Agent;
  facts: EmbedFacts;
  backend: Backend;
}

/** How to put the agent on a site: allow the site, add a backend route, paste the tag. */
export function EmbedGuide({ agent, facts, backend, ...sites }: EmbedGuideProps) {
  const { editor } = sites;
  const path = `/agents/${agent.id}/embed`;
  return (
    <div class="guide">
      <AllowedSites path={path} {...sites} />
      <BackendRoute {...{ path, facts, backend, editor }} />
      {backend.isPlugin ? <PluginTag /> : <PageTag facts={facts} />}
      <section class="card stack" aria-labelledby="embed-more">
        <h2 id="embed-more">{t("More")}</h2>
        <TokenTag facts={facts} />
        <ul class="more-links">
          {editor && (
            <li>
              {rich("{link}: find out why the chat does not appear or answer on a page", {
                link: <a href={`${path}/doctor`} aria-current="false">{t("Embed doctor")}</a>,
              })}
            </li>
          )}
          <li>
            {rich("{link}: chat from a backend or from your own interface", {
              link: <a href="/docs" aria-current="false">{t("API reference")}</a>,
            })}
          </li>
        </ul>
      </section>
    </div>
  );
}

function BackendRoute(
  { path, facts, backend, editor }: Pick<EmbedGuideProps, "facts" | "backend" | "editor"> & {
    path: string;
  },
) {
  const keys = editor ? "/api-keys/new?preset=website" : "/api-keys";
  return (
    <section class="card stack" aria-labelledby="embed-backend">
      <h2 id="embed-backend">{t("2. Add a route to your backend")}</h2>
      <p class="prose">
        {rich(
          "It gets a 15-minute session for each visitor with an {link}, which stays on your server as {code}.",
          {
            link: <a href={keys} aria-current="false">{t("API key")}</a>,
            code: <code>CHAT_API_KEY</code>,
          },
        )}
      </p>
      <nav class="tabs tabs-small" aria-label={t("Backend")}>
        {BACKENDS.map(({ id, name }) => (
          <a
            key={id}
            href={`${path}?backend=${id}#embed-backend`}
            aria-current={id === backend.id ? "page" : "false"}
          >
            {name}
          </a>
        ))}
      </nav>
      <CodeBlock label={backend.file} code={backend.code(facts)} />
      {backend.isPlugin
        ? (
          <div>
            <a class="button" href={`${path}/plugin`} download={backend.file}>
              {t("Download plugin")}
            </a>
          </div>
        )
        : null}
      <CodeBlock label={backend.isPlugin ? t("Set the key") : t("Use it")} code={backend.use} />
    </section>
  );
}

function PageTag({ facts }: { facts: EmbedFacts }) {
  return (
    <section class="card stack" aria-labelledby="embed-tag">
      <h2 id="embed-tag">{t("3. Paste this into your page")}</h2>
      <CodeBlock label={t("Script tag")} code={facts.tag} />
      <p class="help">
        {rich(
          "Before the closing {code}. This file never changes, and the hash lets browsers check it.",
          { code: <code>&lt;/body&gt;</code> },
        )}
      </p>
    </section>
  );
}

function PluginTag() {
  return (
    <section class="card stack" aria-labelledby="embed-tag">
      <h2 id="embed-tag">{t("3. Activate the plugin")}</h2>
      <p class="prose">
        {rich(
          "Upload the file in WordPress under Plugins, Add new, or copy it to {code}. It adds the chat to every page.",
          { code: <code>wp-content/plugins</code> },
        )}
      </p>
    </section>
  );
}

/** The tag with a token, for pages that a backend renders for each visitor. */
function TokenTag({ facts }: { facts: EmbedFacts }) {
  return (
    <details class="more">
      <summary>{t("Render the token into the page")}</summary>
      <CodeBlock label={t("Script tag with a token")} code={facts.tokenTag} />
      <p class="help">
        {rich(
          "Replace {code} with a new token whenever your backend renders the page; do not cache such a page. This address always has the newest release: its hash changes with each upgrade of the service.",
          { code: <code>&lt;SESSION_TOKEN&gt;</code> },
        )}
      </p>
    </details>
  );
}
