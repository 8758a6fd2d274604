import type { ConnectIssues, ConnectValues } from "@/lib/dashboard/models/connect_provider.ts";
import type { ProviderPreset } from "@/lib/schemas/provider_presets.ts";
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
import { rich, t } from "@/lib/dashboard/texts/translate.ts";

export interface ConnectFormProps {
  preset: ProviderPreset;
  values: ConnectValues;
  issues: ConnectIssues;
  asksPassword: boolean;
}

/** The key of a provider; its address and name are filled in. */
export function ConnectForm({ preset, values, issues, asksPassword }: ConnectFormProps) {
  const { password: own_password, ...others } = issues;
  const isAddressOwn = preset.baseUrl === "" || preset.keyUrl === undefined;
  const address = (
    <AddressField
      value={values.baseUrl}
      issue={issues.baseUrl}
      placeholder={preset.baseUrlHint ?? preset.baseUrl}
    />
  );
  return (
    <PostForm
      action={`/operator/providers/connect/${preset.id}`}
      class="card narrow stack"
      issues={{ ...others, own_password }}
      labels={CONNECTION_LABELS}
      lead={t("Couldn't connect.")}
    >
      {isAddressOwn && address}
      <ApiKeyField
        isRequired={preset.keyUrl !== undefined}
        isFocused={!isAddressOwn}
        issue={issues.apiKey}
        help={preset.keyUrl === undefined ? t("Leave blank if the server needs none.") : (
          <>
            {rich("Stored encrypted. {newTabLink}", {
              newTabLink: <NewTabLink href={preset.keyUrl}>{t("Get a key")}</NewTabLink>,
            })} {t(SEVERAL_KEYS)}
          </>
        )}
      />
      <details class="more" open={issues.name !== undefined || !isAddressOwn && !!issues.baseUrl}>
        <summary>{t("Advanced")}</summary>
        <div class="stack">
          {!isAddressOwn && address}
          <NameField value={values.name} issue={issues.name} />
        </div>
      </details>
      <ReauthField asked={asksPassword} issue={own_password} />
      <div class="form-actions">
        <button class="button button-primary" type="submit">{t("Connect")}</button>
        <a class="button" href="/operator/providers/connect" aria-current="false">
          {t("Other provider")}
        </a>
      </div>
    </PostForm>
  );
}
