import type { ApiKey } from "@/lib/store/credentials/api_key_store.ts";
import {
  KeyRestrictionFields,
  type KeyRestrictionFieldsProps,
  RESTRICTION_LABELS,
} from "./KeyRestrictionFields.tsx";
import { PostForm } from "./PostForm.tsx";
import { ReauthField } from "./ReauthField.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

export interface RestrictKeyFormProps extends KeyRestrictionFieldsProps {
  apiKey: ApiKey;
  asksPassword: boolean;
  issue?: string;
  passwordIssue?: string;
}

/** Changes the agents and networks that a key is restricted to. */
export function RestrictKeyForm(props: RestrictKeyFormProps) {
  const { apiKey, issues } = props;
  return (
    <PostForm
      action={`/api-keys/${apiKey.id}/restrict`}
      class="stack"
      issues={{ form: props.issue, ...issues, own_password: props.passwordIssue }}
      labels={RESTRICTION_LABELS}
      lead={t("Couldn't save.")}
    >
      <KeyRestrictionFields {...props} />
      <p class="help">{t("Changes take effect with the next request of the key.")}</p>
      <ReauthField asked={props.asksPassword} issue={props.passwordIssue} />
      <div class="form-actions">
        <button class="button button-primary" type="submit">{t("Save changes")}</button>
        <a class="button" href="/api-keys" aria-current="false">{t("Cancel")}</a>
      </div>
    </PostForm>
  );
}
