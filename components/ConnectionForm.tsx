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
  faults: ConnectionFormIssues;
  protocols: readonly string[];
  /** The connection exists and can be removed. */
  stored: boolean;
  asksPassword: boolean;
}

/** How a model provider is reached. The connection is tested before it is saved. */
export function ConnectionForm({ vendor, values, faults, ...props }: ConnectionFormProps) {
  const { password: own_password, ...others } = faults;
  return (
    <PostForm
      action={`/operator/vendors/${vendor}`}
      class="card narrow stack"
      faults={{ ...others, own_password }}
      labels={LABELS}
    >
      <Field name="protocol" label={LABELS.protocol} fault={faults.protocol}>
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
        fault={faults.baseUrl}
        help="The provider's address, or that of a compatible server."
        mono
      />
      <Field
        name="apiKey"
        label={LABELS.apiKey}
        fault={faults.apiKey}
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
        fault={faults.model}
        help="Receives a short test request. The connection is saved only if it answers."
        mono
      />
      <Text name="name" label={LABELS.name} value={values.name} fault={faults.name} optional />
      <ReauthField asked={props.asksPassword} fault={own_password} />
      <div class="form-actions">
        <button class="button button-primary" type="submit">Test and save</button>
        <a class="button" href="/operator/vendors" aria-current="false">Cancel</a>
        {props.stored && (
          <a class="button" href={`/operator/vendors/${vendor}/delete`} aria-current="false">
            Remove connection
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
    fault?: string | undefined;
    help?: string;
    optional?: boolean;
    mono?: boolean;
  },
) {
  const { name, label, value, fault, help, optional, mono } = props;
  return (
    <Field name={name} label={label} fault={fault} help={help} optional={optional ?? false}>
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
