import type { ModelFormIssues, ModelFormValues } from "@/lib/dashboard/models/model_form.ts";
import { Field } from "./Field.tsx";
import { PostForm } from "./PostForm.tsx";

export interface ModelFormProps {
  values: ModelFormValues;
  faults: ModelFormIssues;
  /** The slots: their names on the wire, and what to call them. */
  slots: readonly (readonly [vendor: string, label: string])[];
  /** An entry that exists keeps its name; its page is where it is sent. */
  existing: boolean;
  deleteHref?: string;
}

const NUMBERS: [field: keyof ModelFormValues, label: string, help: string][] = [
  ["inputUsdPerMTok", "Input price", "USD for a million tokens."],
  ["outputUsdPerMTok", "Output price", "USD for a million tokens."],
  ["contextTokens", "Context", "Tokens the model reads at most."],
  ["maxOutputTokens", "Longest answer", "Tokens the model writes at most."],
];

const LABELS = {
  vendor: "Slot",
  model: "Model",
  ...Object.fromEntries(NUMBERS.map(([name, label]) => [name, label])),
};

/** One model of the catalogue. */
export function ModelForm({ values, faults, slots, existing, deleteHref }: ModelFormProps) {
  return (
    <PostForm
      action="/operator/catalogue/model"
      class="card narrow stack"
      faults={faults}
      labels={LABELS}
    >
      {existing && (
        <>
          <input type="hidden" name="existing" value="yes" />
          <input type="hidden" name="vendor" value={values.vendor} />
          <input type="hidden" name="model" value={values.model} />
        </>
      )}
      {!existing && (
        <>
          <Field name="vendor" label={LABELS.vendor} fault={faults.vendor}>
            {(attributes) => (
              <select {...attributes}>
                {slots.map(([vendor, label]) => (
                  <option key={vendor} value={vendor} selected={vendor === values.vendor}>
                    {label}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field
            name="model"
            label={LABELS.model}
            fault={faults.model}
            help="Exactly as the vendor names it."
          >
            {(attributes) => (
              <input
                type="text"
                class="mono"
                {...attributes}
                value={values.model}
                required
                maxLength={256}
                spellcheck={false}
              />
            )}
          </Field>
        </>
      )}
      <div class="columns columns-wide">
        {NUMBERS.map(([name, label, help]) => (
          <Field key={name} name={name} label={label} help={help} fault={faults[name]}>
            {(attributes) => (
              <input
                type="text"
                inputMode="decimal"
                {...attributes}
                value={values[name]}
                required
              />
            )}
          </Field>
        ))}
      </div>
      <div class="form-actions">
        <button class="button button-primary" type="submit">Save model</button>
        <a class="button" href="/operator/catalogue" aria-current="false">Cancel</a>
        {deleteHref && <a class="button" href={deleteHref} aria-current="false">Remove</a>}
      </div>
    </PostForm>
  );
}
