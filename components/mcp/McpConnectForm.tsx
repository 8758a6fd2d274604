import type { McpServerPageData } from "@/lib/dashboard/mcp/mcp_server_page.ts";
import { Field } from "../Field.tsx";
import { PostForm } from "../PostForm.tsx";
import { ReauthField } from "../ReauthField.tsx";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";

const LABELS = {
  grantType: msg("Connect as"),
  clientId: msg("Client ID"),
  clientSecret: msg("Client secret"),
  scope: msg("Permissions"),
};

/** Starts a connection. Most servers need nothing typed. */
export function McpConnectForm({ data, action }: { data: McpServerPageData; action: string }) {
  const { connection, values, problem, issues = {}, asksPassword } = data;
  const needsClient = problem === "no_registration" || problem === "registration_rejected" ||
    problem === "no_client" || problem === "client_rejected";
  return (
    <PostForm
      action={action}
      class="card stack"
      issues={issues}
      labels={LABELS}
      lead={t("Couldn't connect.")}
    >
      <h2>{connection === undefined ? t("Connect") : t("Connect again")}</h2>
      <input type="hidden" name="action" value="check" />
      <p class="prose">
        {t(
          "First you see which hosts take part. Then you sign in at the server's provider and choose what to allow.",
        )}
      </p>
      <details class="more" open={needsClient || values.grantType !== ""}>
        <summary>{t("Use a client that you registered")}</summary>
        <div class="stack">
          <ClientFields data={data} />
        </div>
      </details>
      <ReauthField asked={asksPassword} issue={issues.own_password} />
      <div class="form-actions">
        <button class="button button-primary" type="submit">{t("Connect")}</button>
      </div>
    </PostForm>
  );
}

function ClientFields({ data: { values, issues = {}, redirectUri } }: { data: McpServerPageData }) {
  return (
    <>
      <div class="field">
        <span>{t("Redirect address to register")}</span>
        <code>{redirectUri}</code>
      </div>
      <Field name="grantType" label={LABELS.grantType} issue={issues.grantType}>
        {(attributes) => (
          <select {...attributes}>
            <option value="authorization_code">{t("A person who signs in")}</option>
            <option
              value="client_credentials"
              selected={values.grantType === "client_credentials"}
            >
              {t("The client itself (client credentials)")}
            </option>
          </select>
        )}
      </Field>
      <Field name="clientId" label={LABELS.clientId} issue={issues.clientId} optional>
        {(attributes) => (
          <input
            type="text"
            class="mono"
            {...attributes}
            value={values.clientId}
            maxLength={2_048}
          />
        )}
      </Field>
      <Field
        name="clientSecret"
        label={LABELS.clientSecret}
        issue={issues.clientSecret}
        optional
        help={t("Stored encrypted, and never shown again.")}
      >
        {(attributes) => (
          <input
            type="password"
            class="mono"
            {...attributes}
            maxLength={2_048}
            autocomplete="off"
          />
        )}
      </Field>
      <Field
        name="scope"
        label={LABELS.scope}
        issue={issues.scope}
        optional
        help={t("OAuth scopes separated by spaces. Leave blank for those that the server names.")}
      >
        {(attributes) => (
          <input type="text" class="mono" {...attributes} value={values.scope} maxLength={2_000} />
        )}
      </Field>
    </>
  );
}
