import type {
  ConnectionFormIssues,
  ConnectionFormValues,
} from "@/lib/dashboard/models/connection_form.ts";
import { Field } from "./Field.tsx";
import { ReauthField } from "./ReauthField.tsx";
import { PostForm } from "./PostForm.tsx";

const LABELS = {
  protocol: "API protocol",
  baseUrl: "Base URL",
  apiKey: "API key",
  model: "Test model",
  name: "Display name",
};

export interface ConnectionFormProps {
  vendor: string;
  values: ConnectionFormValues;
  issues: ConnectionFormIssues;
  protocols: readonly string[];
  /** The connection exists and can be removed. */
  stored: boolean;
  asksPassword: boolean;
}

/** How a model provider is reached. The connection is tested before it is saved. */
export function ConnectionForm({ vendor, values, issues, ...props }: ConnectionFormProps) {
  const { password: own_password, ...others } = issues;
  return (
    <PostForm
      action={`/operator/vendors/${vendor}`}
      class="card narrow stack"
      issues={{ ...others, own_password }}
      labels={LABELS}
    >
      <Field name="protocol" label={LABELS.protocol} issue={issues.protocol}>
        {(attributes) => (
          <select {...attributes}>
            {props.protocols.map((name) => (
              <option key={name} value={name} selected={name === values.protocol}>{name}</option>
            ))}
          </select>
        )}
      </Field>
      <Text
        name="baseUrl"
        label={LABELS.baseUrl}
        value={values.baseUrl}
        issue={issues.baseUrl}
        help="The provider's address, or that of a compatible server."
        mono
      />
      <Field
        name="apiKey"
        label={LABELS.apiKey}
        issue={issues.apiKey}
        help="Stored encrypted, sent only to the base URL, and never shown again."
      >
        {(attributes) => (
          <input type="password" class="mono" {...attributes} required autocomplete="off" />
        )}
      </Field>
      <Text
        name="model"
        label={LABELS.model}
        value={values.model}
        issue={issues.model}
        help="Receives a short test request. The connection is saved only if it answers."
        mono
      />
      <Text name="name" label={LABELS.name} value={values.name} issue={issues.name} optional />
      <ReauthField asked={props.asksPassword} issue={own_password} />
      <div class="form-actions">
        <button class="button button-primary" type="submit">Test and save</button>
        <a class="button" href="/operator/vendors" aria-current="false">Cancel</a>
        {props.stored && (
          <a class="button" href={`/operator/vendors/${vendor}/delete`} aria-current="false">
            Disconnect
          </a>
        )}
      </div>
    </PostForm>
  );
}

function Text(
  props: {
    name: string;
    label: string;
    value: string;
    issue?: string | undefined;
    help?: string;
    optional?: boolean;
    mono?: boolean;
  },
) {
  const { name, label, value, issue, help, optional, mono } = props;
  return (
    <Field name={name} label={label} issue={issue} help={help} optional={optional ?? false}>
      {(attributes) => (
        <input
          type="text"
          class={mono ? "mono" : ""}
          {...attributes}
          value={value}
          required={!optional}
          spellcheck={false}
        />
      )}
    </Field>
  );
}
