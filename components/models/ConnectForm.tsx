import type { ConnectIssues, ConnectValues } from "@/lib/dashboard/models/connect_provider.ts";
import type { ProviderPreset } from "@/lib/schemas/provider_presets.ts";
import { Field } from "../Field.tsx";
import { NewTabLink } from "../NewTabLink.tsx";
import { PostForm } from "../PostForm.tsx";
import { ReauthField } from "../ReauthField.tsx";

const LABELS = { apiKey: "API key", baseUrl: "Address", name: "Display name" };

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
    <Field name="baseUrl" label={LABELS.baseUrl} issue={issues.baseUrl}>
      {(attributes) => (
        <input
          type="text"
          inputMode="url"
          class="mono"
          {...attributes}
          value={values.baseUrl}
          placeholder={preset.baseUrlHint ?? preset.baseUrl}
          required
          spellcheck={false}
        />
      )}
    </Field>
  );
  return (
    <PostForm
      action={`/operator/vendors/connect/${preset.id}`}
      class="card narrow stack"
      issues={{ ...others, own_password }}
      labels={LABELS}
      lead="Couldn't connect."
    >
      {isAddressOwn && address}
      <Field
        name="apiKey"
        label={LABELS.apiKey}
        optional={preset.keyUrl === undefined}
        focused={!isAddressOwn}
        issue={issues.apiKey}
        help={preset.keyUrl === undefined ? "Leave it empty if the server needs none." : (
          <>
            Stored encrypted. <NewTabLink href={preset.keyUrl}>Get a key</NewTabLink>
          </>
        )}
      >
        {(attributes) => (
          <input
            type="password"
            class="mono"
            {...attributes}
            required={preset.keyUrl !== undefined}
            autocomplete="off"
          />
        )}
      </Field>
      <details class="more" open={issues.name !== undefined || !isAddressOwn && !!issues.baseUrl}>
        <summary>Advanced</summary>
        <div class="stack">
          {!isAddressOwn && address}
          <Field name="name" label={LABELS.name} issue={issues.name}>
            {(attributes) => (
              <input type="text" {...attributes} value={values.name} maxLength={64} />
            )}
          </Field>
        </div>
      </details>
      <ReauthField asked={asksPassword} issue={own_password} />
      <div class="form-actions">
        <button class="button button-primary" type="submit">Connect</button>
        <a class="button" href="/operator/vendors/connect" aria-current="false">
          Other provider
        </a>
      </div>
    </PostForm>
  );
}
