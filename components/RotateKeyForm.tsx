import type { ApiKey } from "@/lib/store/credentials/api_key_store.ts";
import { Field } from "./Field.tsx";
import { ReauthField } from "./ReauthField.tsx";
import { PostForm } from "./PostForm.tsx";
import { Time } from "./Time.tsx";
import { msg, rich, t } from "@/lib/dashboard/texts/translate.ts";

/** How long the old secret stays valid, in hours. */
export const OVERLAPS: readonly [hours: string, label: string][] = [
  ["0", msg("Revoke immediately")],
  ["1", msg("1 hour")],
  ["24", msg("1 day")],
  ["168", msg("7 days")],
  ["720", msg("30 days")],
];

export interface RotateKeyFormProps {
  apiKey: ApiKey;
  now: number;
  asksPassword: boolean;
  once: string;
  hours?: string;
  issue?: string;
  passwordIssue?: string;
}

/** Gives a key a new secret under the same id, or revokes the old secret while both are valid. */
export function RotateKeyForm(props: RotateKeyFormProps) {
  const { apiKey, now, hours = "24" } = props;
  const expiring = expiringSecret(apiKey, now);
  return (
    <PostForm
      action={`/api-keys/${apiKey.id}/rotate`}
      class="stack"
      issues={{ form: props.issue, own_password: props.passwordIssue }}
      lead={t("Couldn't save.")}
      once={props.once}
    >
      {expiring?.expiresAt === undefined
        ? (
          <Field
            name="hours"
            label={t("Keep the old secret valid for")}
            help={t(
              "Choose enough time to replace it everywhere. Name, scopes and limits do not change.",
            )}
          >
            {(attributes) => (
              <select {...attributes}>
                {OVERLAPS.map(([value, label]) => (
                  <option key={value} value={value} selected={value === hours}>{t(label)}</option>
                ))}
              </select>
            )}
          </Field>
        )
        : (
          <p class="prose">
            {rich(
              "The old secret {code} expires {time}. A key has at most two secrets, so you can rotate it again after that.",
              {
                code: <code>{`ck_live_${expiring.prefix}_…`}</code>,
                time: <Time at={expiring.expiresAt} now={now} />,
              },
            )}
          </p>
        )}
      <ReauthField asked={props.asksPassword} issue={props.passwordIssue} />
      <div class="form-actions">
        {expiring === undefined
          ? <button class="button button-primary" type="submit">{t("Rotate key")}</button>
          : (
            <button class="button button-danger" type="submit" name="action" value="end">
              {t("Revoke old secret")}
            </button>
          )}
        <a class="button" href="/api-keys" aria-current="false">{t("Cancel")}</a>
      </div>
    </PostForm>
  );
}

/** The previous secret, if it is still valid. */
function expiringSecret({ secrets }: ApiKey, now: number) {
  return secrets.find(({ expiresAt }) => expiresAt !== undefined && Date.parse(expiresAt) > now);
}
