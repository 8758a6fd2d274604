import { Field } from "./Field.tsx";
import { PasswordAgain } from "./PasswordAgain.tsx";
import { PostForm } from "./PostForm.tsx";

const LABELS = { name: "Name", value: "Value", domains: "Domains it may be sent to" };

export interface SecretFormProps {
  name: string;
  /** One a line, as typed. */
  domains: string;
  asksPassword: boolean;
  faults: { name?: string; value?: string; domains?: string; password?: string };
}

/** Sets a secret. A value that was typed is never sent back: it has to be given again after a fault. */
export function SecretForm({ name, domains, asksPassword, faults }: SecretFormProps) {
  const { password: own_password, ...others } = faults;
  return (
    <PostForm
      action="/settings/secrets/new"
      class="card narrow stack"
      faults={{ ...others, own_password }}
      labels={LABELS}
    >
      <Field
        name="name"
        label={LABELS.name}
        fault={faults.name}
        help="Upper-case letters, digits and _. An existing one of this name is replaced."
      >
        {(attributes) => (
          <input
            type="text"
            class="mono"
            {...attributes}
            value={name}
            required
            maxLength={64}
            spellcheck={false}
          />
        )}
      </Field>
      <Field
        name="value"
        label={LABELS.value}
        fault={faults.value}
        help="Stored encrypted. It goes to a tool's request and is never shown again."
      >
        {(attributes) => (
          <textarea
            class="mono"
            {...attributes}
            required
            rows={2}
            maxLength={8192}
            autocomplete="off"
            spellcheck={false}
          />
        )}
      </Field>
      <Field
        name="domains"
        label={LABELS.domains}
        fault={faults.domains}
        help="One a line: a host, or *.host, with an optional :port. 16 at most."
      >
        {(attributes) => (
          <textarea class="mono" {...attributes} required rows={3} spellcheck={false}>
            {domains}
          </textarea>
        )}
      </Field>
      <PasswordAgain asked={asksPassword} fault={own_password} />
      <div class="form-actions">
        <button class="button button-primary" type="submit">Save secret</button>
        <a class="button" href="/settings" aria-current="false">Cancel</a>
      </div>
    </PostForm>
  );
}
