import type { McpConfirmation as Confirmation } from "@/lib/services/mcp/mcp_authorizations.ts";
import { DescriptionList } from "../DescriptionList.tsx";
import { PostForm } from "../PostForm.tsx";
import { rich, t } from "@/lib/dashboard/texts/translate.ts";

/** Which hosts take part in a connection, before any of them receives something. */
export function McpConfirmation(
  { confirmation: { id, server, grantType, hosts }, serverUrl, action }: {
    confirmation: Confirmation;
    serverUrl: string;
    action: string;
  },
) {
  const signInHost = new URL(server.authorizationEndpoint).host;
  const isPerson = grantType === "authorization_code";
  return (
    <PostForm action={action} class="card stack">
      <h2>{t("Connect through {host}?", { host: new URL(server.issuer).host })}</h2>
      <p class="prose">
        {rich(
          "{server} names this authorization server. Continue only if you know it: it decides who may use the server, and receives your client's secret if you entered one.",
          { server: <code>{new URL(serverUrl).host}</code> },
        )}
      </p>
      <DescriptionList
        of={{
          [t("Hosts that take part")]: (
            <span class="cell-tags">
              {hosts.map((host) => <code key={host} class="tag">{host}</code>)}
            </span>
          ),
          [t("Permissions")]: server.scope ?? t("Those that the provider chooses"),
        }}
      />
      <input type="hidden" name="action" value="confirm" />
      <input type="hidden" name="id" value={id} />
      <div class="form-actions">
        <button class="button button-primary" type="submit">
          {isPerson ? t("Continue to {host}", { host: signInHost }) : t("Connect")}
        </button>
        <a class="button" href={action} aria-current="false">{t("Cancel")}</a>
      </div>
    </PostForm>
  );
}
