import type { ModelFormIssues, ModelFormValues } from "@/lib/dashboard/models/model_form.ts";
import { Field } from "./Field.tsx";
import { PostForm } from "./PostForm.tsx";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";

export interface ModelFormProps {
  values: ModelFormValues;
  issues: ModelFormIssues;
  /** Connections: their wire names and labels. */
  slots: readonly (readonly [vendor: string, label: string])[];
  /** The entry exists, so its name cannot change. */
  existing: boolean;
  deleteHref?: string;
}

const NUMBERS: [field: keyof ModelFormValues, label: string, help: string][] = [
  ["inputUsdPerMTok", msg("Input price"), msg("USD per million tokens.")],
  ["outputUsdPerMTok", msg("Output price"), msg("USD per million tokens.")],
  ["contextTokens", msg("Context window"), msg("In tokens.")],
  [
    "maxOutputTokens",
    msg("Max output tokens"),
    msg("The longest answer that the model can write."),
  ],
];

const LABELS = {
  vendor: msg("Provider"),
  model: msg("Model"),
  ...Object.fromEntries(NUMBERS.map(([name, label]) => [name, label])),
};

/** One model of the catalogue. */
export function ModelForm({ values, issues, slots, existing, deleteHref }: ModelFormProps) {
  return (
    <PostForm
      action="/operator/models/model"
      class="card narrow stack"
      issues={issues}
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
          <Field name="vendor" label={LABELS.vendor} issue={issues.vendor}>
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
            issue={issues.model}
            help={t("The exact name from the provider's API.")}
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
          <Field key={name} name={name} label={label} help={help} issue={issues[name]}>
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
      <label class="check">
        <input type="checkbox" name="vision" value="yes" checked={values.vision !== ""} />
        <span>
          {t("Reads images")}
          <span class="help">{t("Agents may send it the images of messages.")}</span>
        </span>
      </label>
      <div class="form-actions">
        <button class="button button-primary" type="submit">{t("Save model")}</button>
        <a class="button" href="/operator/models" aria-current="false">{t("Cancel")}</a>
        {deleteHref && (
          <a class="button" href={deleteHref} aria-current="false">{t("Remove model")}</a>
        )}
      </div>
    </PostForm>
  );
}
