import type { McpServerPageData } from "@/lib/dashboard/mcp/mcp_server_page.ts";
import { ATTENTION_TEXTS } from "@/lib/dashboard/mcp/mcp_problem_texts.ts";
import { DescriptionList } from "../DescriptionList.tsx";
import { PostForm } from "../PostForm.tsx";
import { Time } from "../Time.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** Who connected the server, until when, and what is wrong; with a way to disconnect it. */
export function McpConnectionState(
  { data: { connection, now }, action }: { data: McpServerPageData; action: string },
) {
  if (connection === undefined) {
    return (
      <section class="card stack">
        <h2>{t("Not connected")}</h2>
        <p class="prose">
          {t(
            "Connect servers that ask for OAuth. All agents of your organization that use this address share the connection; visitors never sign in.",
          )}
        </p>
      </section>
    );
  }
  const { state, problem, connectedBy = "", connectedAt, expiresAt, isRenewable } = connection;
  const at = (ms: number) => <Time at={new Date(ms).toISOString()} now={now} />;
  return (
    <section class="card stack">
      <h2>{state === "connected" ? t("Connected") : t("Needs attention")}</h2>
      {problem !== undefined && <p class="field-error">{t(ATTENTION_TEXTS[problem])}</p>}
      <DescriptionList
        of={{
          [t("Account")]: connection.grantType === "client_credentials"
            ? t("The client itself")
            : t("Chosen by {email}", { email: connectedBy }),
          [t("Authorization server")]: <code>{connection.issuer}</code>,
          ...connectedAt !== undefined && { [t("Since")]: at(connectedAt) },
          ...connection.scope !== undefined && { [t("Permissions")]: connection.scope },
          ...state === "connected" && {
            [t("Expires")]: isRenewable
              ? t("Renewed automatically")
              : expiresAt === undefined
              ? t("Not known")
              : at(expiresAt),
          },
        }}
      />
      <PostForm action={action}>
        <input type="hidden" name="action" value="disconnect" />
        <button class="button" type="submit">{t("Disconnect")}</button>
      </PostForm>
    </section>
  );
}
