import type { ConnectIssues, ConnectValues } from "@/lib/dashboard/models/connect_provider.ts";
import { NewTabLink } from "../NewTabLink.tsx";
import { PostForm } from "../PostForm.tsx";
import { ReauthField } from "../ReauthField.tsx";
import {
  AddressField,
  ApiKeyField,
  CONNECTION_LABELS,
  NameField,
  SEVERAL_KEYS,
} from "./ConnectionFields.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

export interface EditConnectionFormProps {
  vendor: string;
  values: ConnectValues;
  issues: ConnectIssues;
  /** Where one gets a key of this provider. */
  keyUrl?: string | undefined;
  asksPassword: boolean;
}

/** Name, address and key of a connection. The saved key stays unless a new one is typed. */
export function EditConnectionForm(
  { vendor, values, issues, keyUrl, asksPassword }: EditConnectionFormProps,
) {
  const { password: own_password, ...others } = issues;
  return (
    <PostForm
      action={`/operator/providers/${vendor}`}
      class="card narrow stack"
      issues={{ ...others, own_password }}
      labels={CONNECTION_LABELS}
    >
      <NameField value={values.name} issue={issues.name} />
      <ApiKeyField
        isRequired={false}
        issue={issues.apiKey}
        help={
          <>
            {t("Leave blank to keep the saved key.")} {t(SEVERAL_KEYS)}
            {keyUrl && (
              <>
                {" "}
                <NewTabLink href={keyUrl}>{t("Get a key")}</NewTabLink>
              </>
            )}
          </>
        }
      />
      <AddressField value={values.baseUrl} issue={issues.baseUrl} />
      <ReauthField asked={asksPassword} issue={own_password} />
      <div class="form-actions">
        <button class="button button-primary" type="submit">{t("Test and save")}</button>
        <a class="button" href="/operator/providers" aria-current="false">{t("Cancel")}</a>
        <a
          class="button"
          href={`/operator/providers/${vendor}/delete`}
          aria-current="false"
        >
          {t("Disconnect")}
        </a>
      </div>
    </PostForm>
  );
}
