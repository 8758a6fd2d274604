import type { McpAuthorizationHead } from "@/lib/store/credentials/mcp_authorization_store.ts";
import { ATTENTION_TEXTS } from "@/lib/dashboard/mcp/mcp_problem_texts.ts";
import { mcpServerHref } from "@/lib/dashboard/mcp/mcp_server_href.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** The servers that the tenant is connected to; editors can open each. */
export function McpServerRows(
  { servers, editor }: { servers: readonly McpAuthorizationHead[]; editor: boolean },
) {
  if (servers.length === 0) return <p class="help">{t("No server is connected.")}</p>;
  return (
    <ul class="rows">
      {servers.map(({ url, state, problem }) => (
        <li key={url} class="row">
          <div class="row-main">
            <p class="row-name">
              <code>{url}</code>
              {state === "connected"
                ? <span class="badge badge-active">{t("Connected")}</span>
                : <span class="badge badge-failing">{t("Needs attention")}</span>}
            </p>
            {problem !== undefined && <p class="row-text">{t(ATTENTION_TEXTS[problem])}</p>}
          </div>
          {editor && (
            <div class="row-end">
              <a
                class="button button-small"
                href={mcpServerHref(url)}
                aria-label={t("View {name}", { name: url })}
                aria-current="false"
              >
                {t("View")}
              </a>
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}
