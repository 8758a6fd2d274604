import {
  ACTION_LABELS,
  PERSONAL_DATA_LABELS,
} from "@/lib/dashboard/guardrails/guardrail_labels.ts";
import {
  GUARDRAIL_FIELDS,
  type GuardrailField,
  type GuardrailIssues,
  type GuardrailValues,
  SIDE_FIELDS,
  SIDE_LABELS,
  type SideField,
} from "@/lib/dashboard/guardrails/guardrails_form.ts";
import type { TriedSide } from "@/lib/dashboard/guardrails/try_guardrails.ts";
import type { ModelGroup } from "@/lib/dashboard/models/model_groups.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";
import {
  CLASSIFIER_ACTIONS,
  GUARDRAIL_ACTIONS,
  type GuardrailAction,
  type GuardrailSide,
  PERSONAL_DATA,
} from "@/lib/schemas/guardrails.ts";
import { GUARDRAIL_BOUNDS as B } from "@/lib/schemas/limits.ts";
import { type ControlAttributes, Field } from "../Field.tsx";
import { ModelSelect } from "../ModelSelect.tsx";
import { PostForm } from "../PostForm.tsx";
import { GuardrailsTrial } from "./GuardrailsTrial.tsx";

export interface GuardrailsFormProps {
  action: string;
  version: number;
  values: GuardrailValues;
  issues: GuardrailIssues;
  models: ModelGroup[];
  /** The text to try, and what the rules do to it. */
  sample: string;
  tried?: TriedSide[] | undefined;
  /** For viewers, who cannot change anything. */
  readOnly: boolean;
}

/** What may go into the model and come out of it. Works without scripts. */
export function GuardrailsForm(props: GuardrailsFormProps) {
  const { action, version, issues: { failure, ...issues }, readOnly, sample, tried } = props;
  return (
    <PostForm
      action={action}
      issues={{ ...issues, ...failure && { form: failure } }}
      labels={fieldLabels()}
      class="stack guardrails-form"
      noValidate
    >
      <input type="hidden" name="version" value={version} />
      <fieldset class="plain" disabled={readOnly}>
        <Side
          {...props}
          side="input"
          help={t(
            "Checked before it is stored and before the model reads it. Matches are always replaced.",
          )}
        />
        <Side
          {...props}
          side="output"
          help={t("Checked before it is shown or stored, also when a match is split.")}
        />
        {!readOnly && (
          <div class="form-actions">
            <button class="button button-primary" type="submit">{t("Save changes")}</button>
          </div>
        )}
        {!readOnly && <GuardrailsTrial {...{ action, sample, tried }} />}
      </fieldset>
    </PostForm>
  );
}

function fieldLabels(): Record<string, string> {
  return Object.fromEntries(GUARDRAIL_FIELDS.map((field) => {
    const [side, name] = field.split(".") as [GuardrailSide, SideField];
    return [field, `${t(SIDE_LABELS[side])}: ${t(SIDE_FIELDS[name])}`];
  }));
}

type SideProps = GuardrailsFormProps & { side: GuardrailSide };

function Side({ help, ...props }: SideProps & { help: string }) {
  return (
    <section class="card stack">
      <h2>{t(SIDE_LABELS[props.side])}</h2>
      <p class="help">{help}</p>
      <Words {...props} />
      <PersonalData {...props} />
      <Classifier {...props} />
      <Control
        {...props}
        name="message"
        help={t("Shown when the answer ends. “I cannot help with that.” if blank.")}
      >
        {(attributes, value) => (
          <textarea {...attributes} rows={2} maxLength={B.message}>{value}</textarea>
        )}
      </Control>
    </section>
  );
}

function Words(props: SideProps) {
  return (
    <>
      <Control
        {...props}
        name="words"
        help={t(
          "One per line. Whole words, in any case, also with look-alike or invisible characters.",
        )}
      >
        {(attributes, value) => (
          <textarea {...attributes} rows={4} spellcheck={false}>{value}</textarea>
        )}
      </Control>
      <Action {...props} name="wordsAction" actions={GUARDRAIL_ACTIONS} />
    </>
  );
}

function PersonalData(props: SideProps) {
  const { side, values, issues } = props;
  const name: GuardrailField = `${side}.kinds`;
  const kinds = values[name].split(",");
  return (
    <>
      <fieldset class="choices">
        <legend>{t(SIDE_FIELDS.kinds)}</legend>
        {issues[name] !== undefined && (
          <p class="field-error" id={`${name}-fault`}>{issues[name]}</p>
        )}
        {PERSONAL_DATA.map((kind, n) => (
          <label class="check" key={kind}>
            <input
              type="checkbox"
              name={name}
              id={n === 0 ? name : `${name}.${kind}`}
              value={kind}
              checked={kinds.includes(kind)}
            />
            <span>{t(PERSONAL_DATA_LABELS[kind])}</span>
          </label>
        ))}
      </fieldset>
      <Action {...props} name="kindsAction" actions={GUARDRAIL_ACTIONS} />
    </>
  );
}

function Classifier(props: SideProps) {
  const { side, values, models } = props;
  const failClosed: GuardrailField = `${side}.failClosed`;
  return (
    <>
      <Control
        {...props}
        name="model"
        help={t("A cheap model that judges the text. Its cost counts towards the agent's budget.")}
      >
        {(attributes, value) => (
          <ModelSelect attributes={attributes} groups={models} value={value} blank={t("None")} />
        )}
      </Control>
      <Control {...props} name="policy" help={t("In plain words, for the model.")}>
        {(attributes, value) => (
          <textarea {...attributes} rows={3} maxLength={B.policy}>{value}</textarea>
        )}
      </Control>
      <Action {...props} name="modelAction" actions={CLASSIFIER_ACTIONS} />
      <label class="check">
        <input
          type="checkbox"
          name={failClosed}
          id={failClosed}
          value="on"
          checked={values[failClosed] !== ""}
        />
        <span>{t("Let nothing pass while the classifier cannot be reached")}</span>
      </label>
    </>
  );
}

function Action(
  { actions, ...props }: SideProps & { name: SideField; actions: readonly GuardrailAction[] },
) {
  return (
    <Control {...props}>
      {(attributes, value) => (
        <select {...attributes}>
          {actions.map((action) => (
            <option key={action} value={action} selected={action === value}>
              {t(ACTION_LABELS[action])}
            </option>
          ))}
        </select>
      )}
    </Control>
  );
}

function Control(
  { side, name, values, issues, help, children }: SideProps & {
    name: SideField;
    help?: string;
    children: (attributes: ControlAttributes, value: string) => preact.JSX.Element;
  },
) {
  const field: GuardrailField = `${side}.${name}`;
  return (
    <Field name={field} label={SIDE_FIELDS[name]} issue={issues[field]} help={help}>
      {(attributes) => children(attributes, values[field])}
    </Field>
  );
}
