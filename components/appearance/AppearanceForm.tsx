import {
  APPEARANCE_FIELDS,
  type AppearanceIssues,
  type AppearanceValues,
} from "@/lib/dashboard/appearance/appearance_form.ts";
import { APPEARANCE_BOUNDS as B } from "@/lib/schemas/limits.ts";
import { LANGUAGE_NAMES } from "@/lib/dashboard/appearance/language_names.ts";
import ImagePicker from "@/islands/ImagePicker.tsx";
import UnsavedChangesGuard from "@/islands/UnsavedChangesGuard.tsx";
import ColorPicker from "@/islands/ColorPicker.tsx";
import { PostForm } from "../PostForm.tsx";
import { Choice, Control, Switch } from "./AppearanceControls.tsx";
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
        <Features {...props} />
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
        {(attributes) => <ImagePicker {...attributes} use="avatar" value={values.avatar} />}
      </Control>
      <Control
        name="logo"
        {...{ values, issues }}
        help={t(
          "An image, which may be wide. Shown at the top of the panel instead of the avatar.",
        )}
      >
        {(attributes) => <ImagePicker {...attributes} use="logo" value={values.logo} />}
      </Control>
      <Control name="accent" {...{ values, issues }}>
        {(attributes) => <ColorPicker {...attributes} value={values.accent} />}
      </Control>
      <div class="columns">
        <Choice
          name="theme"
          {...{ values, issues }}
          options={[["", t("Automatic")], ["light", t("Light")], ["dark", t("Dark")]]}
        />
        <Choice
          name="position"
          {...{ values, issues }}
          options={[["", t("Right")], ["left", t("Left")]]}
        />
      </div>
    </section>
  );
}

/** What visitors can do beside asking. */
function Features({ values, issues }: AppearanceFormProps) {
  return (
    <section class="card stack">
      <h2>{t("Features")}</h2>
      <div class="columns">
        <Switch
          name="feedback"
          {...{ values, issues, default: "on" }}
          help={t("Thumbs below each answer.")}
        />
        <Switch
          name="history"
          {...{ values, issues, default: "on" }}
          help={t("Visitors find what they asked before, and go on there.")}
        />
        <Switch
          name="voice"
          {...{ values, issues, default: "on" }}
          help={t("Dictate questions and have answers read aloud, where the browser can.")}
        />
        <Switch
          name="sound"
          {...{ values, issues, default: "off" }}
          help={t("Visitors can have a quiet sound played when an answer arrives.")}
        />
        <Switch
          name="wide"
          {...{ values, issues, default: "on" }}
          help={t("Visitors can widen the panel to read long answers.")}
        />
        <Switch
          name="limits"
          {...{ values, issues, default: "off" }}
          help={t("Visitors see how many messages their limits leave them.")}
        />
      </div>
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
      <Choice
        name="lang"
        {...{ values, issues }}
        help={t("For the widget's own buttons and messages.")}
        options={[["", t("Same as the page")], ...LANGUAGE_NAMES]}
      />
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
