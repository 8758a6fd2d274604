import type { ComponentChildren } from "preact";
import {
  APPEARANCE_FIELDS,
  type AppearanceField,
  type AppearanceIssues,
  type AppearanceValues,
} from "@/lib/dashboard/appearance/appearance_form.ts";
import { APPEARANCE_BOUNDS as B } from "@/lib/schemas/limits.ts";
import { LANGUAGE_NAMES } from "@/lib/dashboard/appearance/language_names.ts";
import AvatarPicker from "@/islands/AvatarPicker.tsx";
import UnsavedChangesGuard from "@/islands/UnsavedChangesGuard.tsx";
import ColorPicker from "@/islands/ColorPicker.tsx";
import { type ControlAttributes, Field } from "../Field.tsx";
import { PostForm } from "../PostForm.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

export interface AppearanceFormProps {
  action: string;
  agentId: string;
  /** Id of the signed-in user. */
  user: string;
  /** The form was just saved, so its draft in the browser is obsolete. */
  saved: boolean;
  agentName: string;
  version: number;
  values: AppearanceValues;
  issues: AppearanceIssues;
  /** For viewers, who cannot change anything. */
  readOnly: boolean;
}

/** How the widget looks, and what it says around the conversation. Works without scripts. */
export function AppearanceForm(props: AppearanceFormProps) {
  const { action, version, issues, readOnly } = props;
  return (
    <PostForm
      {...{ action, issues }}
      labels={APPEARANCE_FIELDS}
      class="stack appearance-form"
      id="agent-form"
    >
      <input type="hidden" name="version" value={version} />
      <fieldset class="plain" disabled={readOnly}>
        <Look {...props} />
        <Texts {...props} />
        <Privacy {...props} />
        {!readOnly && (
          <UnsavedChangesGuard
            user={props.user}
            agentId={props.agentId}
            saved={props.saved}
            rejected={Object.keys(issues).length > 0}
            submit={t("Save changes")}
          />
        )}
      </fieldset>
    </PostForm>
  );
}

function Look({ agentName, values, issues }: AppearanceFormProps) {
  return (
    <section class="card stack">
      <h2>{t("Look")}</h2>
      <Control
        name="title"
        {...{ values, issues }}
        help={t("Leave blank to show the agent's name, “{agentName}”.", { agentName })}
      >
        {(attributes) => (
          <input
            type="text"
            {...attributes}
            value={values.title}
            placeholder={agentName}
            maxLength={B.title}
          />
        )}
      </Control>
      <Control name="avatar" {...{ values, issues }} help={t("One letter or emoji, or an image.")}>
        {(attributes) => <AvatarPicker {...attributes} value={values.avatar} />}
      </Control>
      <Control name="accent" {...{ values, issues }}>
        {(attributes) => <ColorPicker {...attributes} value={values.accent} />}
      </Control>
      <div class="columns">
        <Control name="theme" {...{ values, issues }}>
          {(attributes) => (
            <Select
              attributes={attributes}
              value={values.theme}
              options={[["", t("Automatic")], ["light", t("Light")], ["dark", t("Dark")]]}
            />
          )}
        </Control>
        <Control name="position" {...{ values, issues }}>
          {(attributes) => (
            <Select
              attributes={attributes}
              value={values.position}
              options={[["", t("Right")], ["left", t("Left")]]}
            />
          )}
        </Control>
      </div>
      <Control name="feedback" {...{ values, issues }} help={t("Thumbs below each answer.")}>
        {(attributes) => (
          <Select
            attributes={attributes}
            value={values.feedback}
            options={[["", t("On")], ["off", t("Off")]]}
          />
        )}
      </Control>
    </section>
  );
}

function Texts({ values, issues }: AppearanceFormProps) {
  return (
    <section class="card stack">
      <h2>{t("Texts")}</h2>
      <Control name="greeting" {...{ values, issues }}>
        {(attributes) => (
          <input
            type="text"
            {...attributes}
            value={values.greeting}
            placeholder={t("Hello. How can we help?")}
            maxLength={B.greeting}
          />
        )}
      </Control>
      <Control
        name="suggestions"
        {...{ values, issues }}
        help={t("One per line, up to {suggestions}. Visitors send them with one click.", {
          suggestions: B.suggestions,
        })}
      >
        {(attributes) => (
          <textarea {...attributes} rows={4} placeholder={t("Where is my order?")}>
            {values.suggestions}
          </textarea>
        )}
      </Control>
      <Control
        name="lang"
        {...{ values, issues }}
        help={t("For the widget's own buttons and messages.")}
      >
        {(attributes) => (
          <Select
            attributes={attributes}
            value={values.lang}
            options={[["", t("Same as the page")], ...LANGUAGE_NAMES]}
          />
        )}
      </Control>
    </section>
  );
}

function Privacy({ values, issues }: AppearanceFormProps) {
  return (
    <section class="card stack">
      <h2>{t("Privacy")}</h2>
      <Control name="privacyText" {...{ values, issues }} help={t("Below the message field.")}>
        {(attributes) => (
          <input
            type="text"
            {...attributes}
            value={values.privacyText}
            placeholder={t("Chats are stored for 30 days.")}
            maxLength={B.privacyText}
          />
        )}
      </Control>
      <Control name="privacyUrl" {...{ values, issues }}>
        {(attributes) => (
          <input
            type="url"
            {...attributes}
            value={values.privacyUrl}
            placeholder="https://www.example.com/privacy"
            maxLength={B.urlLength}
          />
        )}
      </Control>
    </section>
  );
}

interface ControlProps {
  name: AppearanceField;
  values: AppearanceValues;
  issues: AppearanceIssues;
  help?: string;
  children: (attributes: ControlAttributes) => ComponentChildren;
}

function Control({ name, issues, help, children }: ControlProps) {
  return (
    <Field name={name} label={APPEARANCE_FIELDS[name]} help={help} issue={issues[name]}>
      {children}
    </Field>
  );
}

function Select({ attributes, value, options }: {
  attributes: ControlAttributes;
  value: string;
  options: readonly (readonly [value: string, label: string])[];
}) {
  return (
    <select {...attributes}>
      {options.map(([name, label]) => (
        <option key={name} value={name} selected={name === value}>{label}</option>
      ))}
    </select>
  );
}
