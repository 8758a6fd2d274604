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

const OPTIONAL_NUMBERS: typeof NUMBERS = [
  [
    "cacheReadUsdPerMTok",
    msg("Cache read price"),
    msg("Input tokens that the provider reads from its cache. Leave blank for the input price."),
  ],
  [
    "cacheWriteUsdPerMTok",
    msg("Cache write price"),
    msg(
      "Input tokens that the provider writes to its cache for 5 minutes. Anthropic models cache prompts only with this price.",
    ),
  ],
  [
    "cacheWrite1hUsdPerMTok",
    msg("Cache write price, 1 hour"),
    msg("Only for gateways that write for an hour by themselves. Raises what is reserved."),
  ],
  [
    "reasoningUsdPerMTok",
    msg("Reasoning price"),
    msg("Hidden reasoning, if it is billed apart. Leave blank for the output price."),
  ],
  [
    "timeoutMs",
    msg("Timeout, in milliseconds"),
    msg("Until the provider begins to respond. Leave blank for 60,000."),
  ],
];

const LABELS = {
  vendor: msg("Provider"),
  model: msg("Model"),
  ...Object.fromEntries([...NUMBERS, ...OPTIONAL_NUMBERS].map(([name, label]) => [name, label])),
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
      <Numbers fields={NUMBERS} {...{ values, issues }} />
      <label class="check">
        <input type="checkbox" name="vision" value="yes" checked={values.vision !== ""} />
        <span>
          {t("Reads images")}
          <span class="help">{t("Agents may send it the images of messages.")}</span>
        </span>
      </label>
      <details class="more" open={OPTIONAL_NUMBERS.some(([name]) => issues[name] !== undefined)}>
        <summary>{t("Caching, reasoning and timeout")}</summary>
        <Numbers fields={OPTIONAL_NUMBERS} {...{ values, issues }} optional />
      </details>
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

function Numbers(
  { fields, values, issues, optional = false }: Pick<ModelFormProps, "values" | "issues"> & {
    fields: typeof NUMBERS;
    optional?: boolean;
  },
) {
  return (
    <div class="columns columns-wide">
      {fields.map(([name, label, help]) => (
        <Field key={name} {...{ name, label, help, optional }} issue={issues[name]}>
          {(attributes) => (
            <input
              type="text"
              inputMode="decimal"
              {...attributes}
              value={values[name]}
              required={!optional}
            />
          )}
        </Field>
      ))}
    </div>
  );
}
