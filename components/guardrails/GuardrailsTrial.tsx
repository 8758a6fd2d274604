import { RULE_LABELS } from "@/lib/dashboard/guardrails/guardrail_labels.ts";
import { SIDE_LABELS } from "@/lib/dashboard/guardrails/guardrails_form.ts";
import { SAMPLE_LENGTH, type TriedSide } from "@/lib/dashboard/guardrails/try_guardrails.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";
import { Field } from "../Field.tsx";

/** A text, and what the rules of the form above do to it. Nothing of it is stored. */
export function GuardrailsTrial(
  { action, sample, tried }: {
    /** Of the form. */
    action: string;
    sample: string;
    tried?: TriedSide[] | undefined;
  },
) {
  return (
    <section class="card stack" id="try">
      <h2>{t("Try it out")}</h2>
      <Field
        name="sample"
        label={t("Text")}
        help={t(
          "Checked with the words and personal data above, also before you save. Nothing is stored.",
        )}
      >
        {(attributes) => (
          <textarea {...attributes} rows={4} maxLength={SAMPLE_LENGTH}>{sample}</textarea>
        )}
      </Field>
      <div class="form-actions">
        <button
          class="button"
          type="submit"
          name="action"
          value="try"
          formaction={`${action}#try`}
        >
          {t("Check text")}
        </button>
      </div>
      {tried !== undefined && (
        <div role="status" class="stack">
          {tried.length === 0 && (
            <p>{t("Nothing is checked yet, or a field above is not valid.")}</p>
          )}
          {tried.map((one) => <Tried key={one.side} {...one} />)}
        </div>
      )}
    </section>
  );
}

function Tried({ side, text, rules, isStopped }: TriedSide) {
  return (
    <div>
      <h3>{t(SIDE_LABELS[side])}</h3>
      <p class="said-text" dir="auto">{text}</p>
      <p class="help">
        {rules.length === 0
          ? t("Nothing was found.")
          : t("Found: {rules}.", { rules: rules.map((rule) => t(RULE_LABELS[rule])).join(", ") })}
        {isStopped && ` ${t("The answer ends here.")}`}
      </p>
    </div>
  );
}
