import type { SlotFaults, SlotFormValues } from "@/lib/http/dashboard/slot_form.ts";
import { Field } from "./Field.tsx";
import { Notice } from "./Notice.tsx";
import { PasswordAgain } from "./PasswordAgain.tsx";

export interface SlotFormProps {
  vendor: string;
  values: SlotFormValues;
  faults: SlotFaults;
  protocols: readonly string[];
  /** Whether there is something to take out again. */
  stored: boolean;
  asksPassword: boolean;
}

/** How a vendor is reached. It is asked before anything is saved. */
export function SlotForm({ vendor, values, faults, ...props }: SlotFormProps) {
  return (
    <form method="post" action={`/operator/vendors/${vendor}`} class="card narrow stack">
      {faults.form !== undefined && <Notice kind="fault">{faults.form}</Notice>}
      <Field name="protocol" label="Wire protocol" fault={faults.protocol}>
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
        label="Address"
        value={values.baseUrl}
        fault={faults.baseUrl}
        help="Of the vendor, or of a server that speaks its protocol."
        mono
      />
      <Field
        name="apiKey"
        label="Credential"
        fault={faults.apiKey}
        help="Stored encrypted, sent to this address alone, never shown again."
      >
        {(attributes) => (
          <input type="password" class="mono" {...attributes} required autocomplete="off" />
        )}
      </Field>
      <Text
        name="model"
        label="Model to test with"
        value={values.model}
        fault={faults.model}
        help="It is asked for one word. The slot is saved only when it answers."
        mono
      />
      <Text name="name" label="Name" value={values.name} fault={faults.name} optional />
      <PasswordAgain asked={props.asksPassword} fault={faults.password} />
      <div class="form-actions">
        <button class="button button-primary" type="submit">Test and save</button>
        <a class="button" href="/operator/vendors" aria-current="false">Cancel</a>
        {props.stored && (
          <a class="button" href={`/operator/vendors/${vendor}/delete`} aria-current="false">
            Empty the slot
          </a>
        )}
      </div>
    </form>
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
          autocomplete="off"
          spellcheck={false}
        />
      )}
    </Field>
  );
}
