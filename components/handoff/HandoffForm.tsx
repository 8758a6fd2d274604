import {
  HANDOFF_FIELDS,
  type HandoffField,
  type HandoffIssues,
  type HandoffValues,
} from "@/lib/dashboard/handoff/handoff_form.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";
import { DEFAULT_ANSWER_MINUTES, HANDOFF_BOUNDS, WEEKDAYS } from "@/lib/schemas/handoff.ts";
import { type ControlAttributes, Field } from "../Field.tsx";
import { PostForm } from "../PostForm.tsx";

export interface HandoffFormProps {
  action: string;
  version: number;
  values: HandoffValues;
  issues: HandoffIssues;
  /** For viewers, who cannot change anything. */
  readOnly: boolean;
}

/** When and how people take over conversations of an agent. Works without scripts. */
export function HandoffForm(props: HandoffFormProps) {
  const { action, version, issues: { failure, ...issues }, readOnly } = props;
  return (
    <PostForm
      action={action}
      issues={{ ...issues, ...failure && { form: failure } }}
      labels={HANDOFF_LABELS}
      class="stack handoff-form"
      noValidate
    >
      <input type="hidden" name="version" value={version} />
      <fieldset class="plain" disabled={readOnly}>
        <Requests {...props} />
        <Hours {...props} />
        {!readOnly && (
          <div class="form-actions">
            <button class="button button-primary" type="submit">{t("Save changes")}</button>
          </div>
        )}
      </fieldset>
    </PostForm>
  );
}

/** The checkbox `form` shares its name with the form's own message. */
const { form: _form, ...HANDOFF_LABELS } = HANDOFF_FIELDS;

function Requests({ values, issues }: HandoffFormProps) {
  const by = values.by.split(",");
  return (
    <section class="card stack">
      <h2>{t("Requests")}</h2>
      <Check
        name="enabled"
        isChecked={values.enabled !== ""}
        issue={issues.enabled}
        label={t("Conversations can be handed over to a person")}
        help={t("Clear this to accept no new requests. People keep the conversations they have.")}
      />
      <fieldset class="choices">
        <legend>{t(HANDOFF_FIELDS.by)}</legend>
        {issues.by !== undefined && <p class="field-error" id="by-fault">{issues.by}</p>}
        <Check
          name="by"
          id="by"
          value="model"
          isChecked={by.includes("model")}
          label={t("The agent, with its tool hand_off")}
        />
        <Check
          name="by"
          id="by-visitor"
          value="visitor"
          isChecked={by.includes("visitor")}
          label={t("The visitor, with a button")}
        />
      </fieldset>
      <Text
        {...{ name: "message", values, issues }}
        help={t("Shown while the conversation waits for a person or has one.")}
        control={(attributes) => (
          <textarea {...attributes} rows={2} maxLength={HANDOFF_BOUNDS.message}>
            {values.message}
          </textarea>
        )}
      />
      <Text
        {...{ name: "answerWithinMinutes", values, issues }}
        help={t("After that the agent has the conversation again. {minutes} if blank.", {
          minutes: DEFAULT_ANSWER_MINUTES,
        })}
        control={(attributes) => (
          <input
            type="number"
            {...attributes}
            min={1}
            max={HANDOFF_BOUNDS.answerWithinMinutes}
            value={values.answerWithinMinutes}
          />
        )}
      />
      <Check
        name="form"
        isChecked={values.form !== ""}
        issue={issues.form}
        label={t("Ask for an e-mail address and a message when nobody is there")}
        help={t("You find them in the conversation. No e-mail is sent.")}
      />
    </section>
  );
}

function Hours(props: HandoffFormProps) {
  const { values, issues } = props;
  return (
    <section class="card stack">
      <h2>{t("Business hours")}</h2>
      <p class="help">{t("Leave all of them blank if people answer at any time.")}</p>
      <Text
        {...{ name: "timeZone", values, issues }}
        help={t("For example Europe/Berlin. Daylight saving time is followed.")}
        control={(attributes) => (
          <input type="text" {...attributes} value={values.timeZone} spellcheck={false} />
        )}
      />
      {WEEKDAYS.map((day) => (
        <Text
          key={day}
          {...{ name: day, values, issues }}
          control={(attributes) => (
            <input
              type="text"
              {...attributes}
              value={values[day]}
              placeholder="09:00-12:30, 13:30-18:00"
              spellcheck={false}
            />
          )}
        />
      ))}
    </section>
  );
}

function Text(
  { name, issues, help, control }: Pick<HandoffFormProps, "values" | "issues"> & {
    name: HandoffField;
    help?: string;
    control: (attributes: ControlAttributes) => preact.JSX.Element;
  },
) {
  return (
    <Field name={name} label={HANDOFF_FIELDS[name]} issue={issues[name]} help={help}>
      {control}
    </Field>
  );
}

function Check({ name, id = name, value = "on", isChecked, label, help, issue }: {
  name: HandoffField;
  id?: string;
  value?: string;
  isChecked: boolean;
  label: string;
  help?: string;
  issue?: string | undefined;
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        name={name}
        id={id}
        value={value}
        checked={isChecked}
        {...issue !== undefined && { "aria-invalid": "true", "aria-describedby": `${id}-fault` }}
      />
      <span>
        {label}
        {issue !== undefined && <span class="field-error" id={`${id}-fault`}>{issue}</span>}
        {help !== undefined && <span class="help">{help}</span>}
      </span>
    </label>
  );
}
