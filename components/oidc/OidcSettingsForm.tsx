import { Field } from "@/components/Field.tsx";
import { PostForm } from "@/components/PostForm.tsx";
import { ReauthField, type ReauthFieldProps } from "@/components/ReauthField.tsx";
import type { OidcSettingsInput, OidcSettingsIssues } from "@/lib/dashboard/oidc_settings_form.ts";
import { ROLE_NAMES } from "@/lib/dashboard/role_names.ts";
import { OIDC_ROLES } from "@/lib/schemas/oidc_settings.ts";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";

const LABELS = {
  issuer: msg("Issuer"),
  clientId: msg("Client ID"),
  clientSecret: msg("Client secret"),
  scopes: msg("Scopes"),
  defaultRole: msg("Role of new people"),
  roleClaim: msg("Claim with roles"),
  roles: msg("Roles by value"),
  emailDomains: msg("Email domains"),
};

export interface OidcSettingsFormProps {
  values: OidcSettingsInput;
  /** A secret is stored. */
  hasSecret: boolean;
  password: ReauthFieldProps;
  issues?: OidcSettingsIssues | undefined;
}

/** A tenant's connection to its own identity provider. */
export function OidcSettingsForm(props: OidcSettingsFormProps) {
  const { values, hasSecret, password, issues = {} } = props;
  return (
    <PostForm
      action="/settings/single-sign-on"
      class="card stack"
      issues={{ ...issues, own_password: password.issue }}
      labels={LABELS}
    >
      <Field
        name="issuer"
        label={LABELS.issuer}
        issue={issues.issuer}
        help={t("The address that your provider calls issuer, such as https://login.example.com.")}
      >
        {(attributes) => <input type="url" {...attributes} value={values.issuer} required />}
      </Field>
      <Field name="clientId" label={LABELS.clientId} issue={issues.clientId}>
        {(attributes) => (
          <input type="text" {...attributes} value={values.clientId} required autocomplete="off" />
        )}
      </Field>
      <Field
        name="clientSecret"
        label={LABELS.clientSecret}
        optional
        issue={issues.clientSecret}
        help={hasSecret
          ? t("Stored encrypted. Leave blank to keep it.")
          : t("Leave blank for a public client.")}
      >
        {(attributes) => <input type="password" {...attributes} autocomplete="off" />}
      </Field>
      <Field
        name="defaultRole"
        label={LABELS.defaultRole}
        issue={issues.defaultRole}
        help={t("People who sign in for the first time join your team with this role.")}
      >
        {(attributes) => (
          <select {...attributes}>
            <option value="">{t("None: only people with a matching value join")}</option>
            {OIDC_ROLES.map((role) => (
              <option key={role} value={role} selected={values.defaultRole === role}>
                {t(ROLE_NAMES[role])}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field
        name="emailDomains"
        label={LABELS.emailDomains}
        optional
        issue={issues.emailDomains}
        help={t(
          "Only people with an address of these domains join, such as example.com. Without one, everybody with an account at the issuer can.",
        )}
      >
        {(attributes) => <input type="text" {...attributes} value={values.emailDomains} />}
      </Field>
      <details class="more" open={values.roleClaim !== "" || values.trustsEmail}>
        <summary>{t("More settings")}</summary>
        <div class="stack">
          <Field name="scopes" label={LABELS.scopes} issue={issues.scopes}>
            {(attributes) => <input type="text" {...attributes} value={values.scopes} required />}
          </Field>
          <Field
            name="roleClaim"
            label={LABELS.roleClaim}
            optional
            issue={issues.roleClaim}
            help={t("A claim of the ID token, such as groups.")}
          >
            {(attributes) => <input type="text" {...attributes} value={values.roleClaim} />}
          </Field>
          <Field
            name="roles"
            label={LABELS.roles}
            optional
            issue={issues.roles}
            help={t("One line for each value, such as chat-admins=owner. The highest role counts.")}
          >
            {(attributes) => (
              <textarea class="mono" {...attributes} rows={3} spellcheck={false}>
                {values.roles}
              </textarea>
            )}
          </Field>
          <Check
            name="trustsEmail"
            checked={values.trustsEmail}
            label={t("Trust email addresses that the provider has not verified")}
          />
          <Check
            name="trustsFactors"
            checked={values.trustsFactors}
            label={t("Count every sign-in there as one with a second factor")}
          />
        </div>
      </details>
      <ReauthField {...password} />
      <div class="form-actions">
        <button class="button button-primary" type="submit">{t("Save")}</button>
      </div>
    </PostForm>
  );
}

function Check({ name, checked, label }: { name: string; checked: boolean; label: string }) {
  return (
    <label class="check">
      <input type="checkbox" name={name} checked={checked} />
      <span>{label}</span>
    </label>
  );
}
