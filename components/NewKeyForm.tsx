import { type Scope, SCOPES } from "@/lib/wire/scopes.ts";
import { Field } from "./Field.tsx";
import { Notice } from "./Notice.tsx";
import { PasswordAgain } from "./PasswordAgain.tsx";

/** Lifetimes offered for a key, in days; blank never expires. */
export const KEY_LIFETIMES: readonly [days: string, label: string][] = [
  ["", "Never"],
  ["7", "In 7 days"],
  ["30", "In 30 days"],
  ["90", "In 90 days"],
  ["365", "In a year"],
];

export interface NewKeyFormProps {
  name?: string;
  scopes?: readonly string[];
  days?: string;
  faults?: { name?: string; scopes?: string; password?: string };
  asksPassword: boolean;
  /** In a dialog, cancelling closes it; on a page it leads back to the list. */
  inDialog?: boolean;
}

/** What a new API key is to be called and may do. */
export function NewKeyForm(props: NewKeyFormProps) {
  const { name, scopes = [], days = "", faults, inDialog } = props;
  return (
    <form method="post" action="/api-keys/new" class="stack">
      {faults && <Notice kind="fault">The key was not created. Check the marked fields.</Notice>}
      <Field
        name="name"
        label="Name"
        fault={faults?.name}
        help="Where the key will be used, for example “Shop backend”."
      >
        {(attributes) => (
          <input
            type="text"
            {...attributes}
            value={name}
            required
            maxLength={128}
            autocomplete="off"
            autofocus
          />
        )}
      </Field>
      <fieldset class="field" aria-describedby={faults?.scopes && "scopes-fault"}>
        <legend>Scopes</legend>
        {faults?.scopes && <p class="fault" id="scopes-fault">{faults.scopes}</p>}
        <p class="help">
          Serving a widget from your backend needs <code>agents:write</code> and{" "}
          <code>widget:mint</code>. A write scope includes reading.
        </p>
        <div class="scopes">
          {Object.entries(SCOPES).map(([scope, meaning]) => (
            <label key={scope} class="check">
              <input
                type="checkbox"
                name="scopes"
                value={scope}
                checked={scopes.includes(scope as Scope)}
              />
              <span>
                <code>{scope}</code>
                <span class="help">{meaning}</span>
              </span>
            </label>
          ))}
        </div>
      </fieldset>
      <Field name="days" label="Expires">
        {(attributes) => (
          <select {...attributes}>
            {KEY_LIFETIMES.map(([value, label]) => (
              <option key={value} value={value} selected={value === days}>{label}</option>
            ))}
          </select>
        )}
      </Field>
      <PasswordAgain asked={props.asksPassword} fault={faults?.password} />
      <div class="form-actions">
        <button class="button button-primary" type="submit">Create key</button>
        {inDialog
          ? <button class="button" type="submit" formMethod="dialog" formNoValidate>Cancel</button>
          : <a class="button" href="/api-keys" aria-current="false">Cancel</a>}
      </div>
    </form>
  );
}
