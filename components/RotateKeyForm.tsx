import type { ApiKey } from "@/lib/store/credentials/api_key_store.ts";
import { Field } from "./Field.tsx";
import { ReauthField } from "./ReauthField.tsx";
import { PostForm } from "./PostForm.tsx";
import { Time } from "./Time.tsx";

/** How long the old secret may live on, in hours. */
export const OVERLAPS: readonly [hours: string, label: string][] = [
  ["0", "Refuse it at once"],
  ["1", "1 hour"],
  ["24", "1 day"],
  ["168", "7 days"],
  ["720", "30 days"],
];

export interface RotateKeyFormProps {
  apiKey: ApiKey;
  now: number;
  asksPassword: boolean;
  once: string;
  hours?: string;
  fault?: string;
  passwordFault?: string;
}

/** Gives a key a new secret under the same id; while an old one lives on, offers to end it. */
export function RotateKeyForm(props: RotateKeyFormProps) {
  const { apiKey, now, hours = "24" } = props;
  const leaving = expiringSecret(apiKey, now);
  return (
    <PostForm
      action={`/api-keys/${apiKey.id}/rotate`}
      class="stack"
      faults={{ form: props.fault, own_password: props.passwordFault }}
      lead="Nothing was changed."
      once={props.once}
    >
      {leaving?.expiresAt === undefined
        ? (
          <Field
            name="hours"
            label="The old secret keeps working for"
            help="Long enough to put the new one in place everywhere. Name, scopes and limits stay."
          >
            {(attributes) => (
              <select {...attributes}>
                {OVERLAPS.map(([value, label]) => (
                  <option key={value} value={value} selected={value === hours}>{label}</option>
                ))}
              </select>
            )}
          </Field>
        )
        : (
          <p class="prose">
            The secret <code>{`ck_live_${leaving.prefix}_…`}</code> still works:{" "}
            <Time at={leaving.expiresAt} now={now} />{" "}
            it ends by itself. A key has two secrets at most, so the next rotation waits until then.
          </p>
        )}
      <ReauthField asked={props.asksPassword} fault={props.passwordFault} />
      <div class="form-actions">
        {leaving === undefined
          ? <button class="button button-primary" type="submit">Make a new secret</button>
          : (
            <button class="button button-danger" type="submit" name="action" value="end">
              End the old secret now
            </button>
          )}
        <a class="button" href="/api-keys" aria-current="false">Cancel</a>
      </div>
    </PostForm>
  );
}

/** The secret that a rotation has left and that still works. */
function expiringSecret({ secrets }: ApiKey, now: number) {
  return secrets.find(({ expiresAt }) => expiresAt !== undefined && Date.parse(expiresAt) > now);
}
