import { CUSTOM_PRESET, KEY_PRESETS } from "@/lib/dashboard/key_presets.ts";
import type {
  KeyRestrictionIssues,
  KeyRestrictionsInput,
  OfferedAgents,
} from "@/lib/dashboard/key_restrictions_form.ts";
import { MAX_KEY_PURPOSE } from "@/lib/schemas/api_key.ts";
import { type Scope, SCOPES } from "@/lib/schemas/scopes.ts";
import { useContext } from "preact/hooks";
import { Field } from "./Field.tsx";
import { KeyRestrictionFields, RESTRICTION_LABELS } from "./KeyRestrictionFields.tsx";
import { ReauthField } from "./ReauthField.tsx";
import { FirstIssue, PostForm } from "./PostForm.tsx";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";

/** Lifetimes of a key in days; blank never expires. */
export const KEY_LIFETIMES: readonly [days: string, label: string][] = [
  ["", msg("Never")],
  ["7", msg("In 7 days")],
  ["30", msg("In 30 days")],
  ["90", msg("In 90 days")],
  ["365", msg("In a year")],
];

const LABELS = {
  name: "Name",
  purpose: msg("Purpose"),
  preset: msg("What is it for?"),
  scopes: msg("Scopes"),
  ...RESTRICTION_LABELS,
};

export type NewKeyIssues = KeyRestrictionIssues & {
  name?: string;
  purpose?: string;
  scopes?: string;
  password?: string;
  form?: string;
};

const UNRESTRICTED: KeyRestrictionsInput = { someAgents: false, agents: [], addresses: "" };

export interface NewKeyFormProps {
  name?: string;
  purpose?: string;
  /** The job that the key is for, or `custom` for the scopes below. */
  preset: string;
  scopes?: readonly string[];
  days?: string;
  restrictions?: KeyRestrictionsInput;
  offered: OfferedAgents;
  issues?: NewKeyIssues;
  asksPassword: boolean;
  once: string;
  /** In a dialog, "Cancel" closes it; on a page, it leads back to the list. */
  inDialog?: boolean;
}

/** Job, name, purpose, lifetime and restrictions of a new API key. */
export function NewKeyForm(props: NewKeyFormProps) {
  const { name, purpose, preset, scopes = [], days = "", issues, inDialog } = props;
  const { restrictions = UNRESTRICTED, offered } = props;
  return (
    <PostForm
      action="/api-keys/new"
      class="stack"
      issues={{ ...issues, own_password: issues?.password, password: undefined }}
      labels={LABELS}
      once={props.once}
      lead={t("Couldn't create the key.")}
    >
      <Presets preset={preset} />
      <Scopes chosen={scopes} issue={issues?.scopes} />
      <Field
        name="name"
        label={LABELS.name}
        issue={issues?.name}
        help={t("Where the key will be used, for example “Shop backend”.")}
      >
        {(attributes) => (
          <input
            type="text"
            {...attributes}
            value={name}
            required
            maxLength={128}
          />
        )}
      </Field>
      <Field
        name="purpose"
        label={LABELS.purpose}
        issue={issues?.purpose}
        help={t("What it does there, for the person who finds this key in a year.")}
      >
        {(attributes) => (
          <input
            type="text"
            {...attributes}
            value={purpose}
            required
            maxLength={MAX_KEY_PURPOSE}
          />
        )}
      </Field>
      <Field name="days" label={t("Expires")}>
        {(attributes) => (
          <select {...attributes}>
            {KEY_LIFETIMES.map(([value, label]) => (
              <option key={value} value={value} selected={value === days}>{t(label)}</option>
            ))}
          </select>
        )}
      </Field>
      <details
        class="more"
        open={restrictions.someAgents || restrictions.addresses !== "" ||
          issues?.agents !== undefined}
      >
        <summary>{t("Restrict to agents or networks")}</summary>
        <div class="stack">
          <KeyRestrictionFields restrictions={restrictions} offered={offered} issues={issues} />
        </div>
      </details>
      <ReauthField asked={props.asksPassword} issue={issues?.password} />
      <div class="form-actions">
        <button class="button button-primary" type="submit">{t("Create key")}</button>
        {inDialog
          ? (
            <button class="button" type="submit" formMethod="dialog" formNoValidate>
              {t("Cancel")}
            </button>
          )
          : <a class="button" href="/api-keys" aria-current="false">{t("Cancel")}</a>}
      </div>
    </PostForm>
  );
}

function Presets({ preset }: { preset: string }) {
  const custom = {
    id: CUSTOM_PRESET,
    title: msg("Custom"),
    text: msg("Choose the scopes one by one."),
    scopes: [],
  };
  return (
    <fieldset class="field">
      <legend>{t(LABELS.preset)}</legend>
      <div class="choices">
        {[...KEY_PRESETS, custom].map(({ id, title, text, scopes }) => (
          <div key={id}>
            <label class="check">
              <input type="radio" name="preset" value={id} checked={id === preset} />
              <span>
                {t(title)}
                <span class="help">{t(text)}</span>
              </span>
            </label>
            {scopes.length > 0 && <Allowed scopes={scopes} />}
          </div>
        ))}
      </div>
    </fieldset>
  );
}

/** What the scopes of a job allow, in words. */
function Allowed({ scopes }: { scopes: readonly Scope[] }) {
  return (
    <details class="allows help">
      <summary>{t("What it allows")}</summary>
      <ul>
        {scopes.map((scope) => (
          <li key={scope}>
            {t(SCOPES[scope])}: <code>{scope}</code>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Shown while "Custom" is chosen. */
function Scopes({ chosen, issue }: { chosen: readonly string[]; issue: string | undefined }) {
  const firstIssue = useContext(FirstIssue);
  return (
    <fieldset class="field custom-scopes" aria-describedby={issue && "scopes-fault"}>
      <legend>{t(LABELS.scopes)}</legend>
      {issue && <p class="field-error" id="scopes-fault">{issue}</p>}
      <p class="help">
        {t("A write scope includes reading. A key with only read scopes cannot chat.")}
      </p>
      <div class="scopes">
        {Object.entries(SCOPES).map(([scope, meaning], n) => (
          <label key={scope} class="check">
            <input
              type="checkbox"
              name="scopes"
              {...n === 0 && { id: "scopes", autofocus: firstIssue === "scopes" }}
              value={scope}
              checked={chosen.includes(scope)}
            />
            <span>
              <code>{scope}</code>
              <span class="help">{t(meaning)}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
