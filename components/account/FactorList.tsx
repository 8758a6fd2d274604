import type { FactorSummary } from "@/lib/services/factors/second_factors.ts";
import { Time } from "@/components/Time.tsx";
import { plural } from "@/lib/dashboard/format_amount.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

export interface FactorListProps {
  factors: FactorSummary;
  /** Whether this browser and address can have passkeys. */
  offersPasskeys: boolean;
  now: number;
}

/** The second factors of a user, and how to add and remove them. */
export function FactorList({ factors, offersPasskeys, now }: FactorListProps) {
  const { passkeys, totp, recoveryCodes } = factors;
  const hasFactor = passkeys.length > 0 || totp !== undefined;
  return (
    <div class="narrow sections">
      <section class="card stack" aria-labelledby="passkeys">
        <h2 id="passkeys">{t("Passkeys")}</h2>
        <p class="prose">
          {t(
            "Sign in with your fingerprint, face, PIN or a security key. Passkeys cannot be phished.",
          )}
        </p>
        {passkeys.length > 0 && (
          <ul class="rows">
            {passkeys.map(({ id, name, createdAt, usedAt }) => (
              <li key={id} class="row">
                <div class="row-main">
                  <p class="row-name">
                    <strong>{name}</strong>
                  </p>
                  <p class="help">
                    {t("Added")} <Time at={new Date(createdAt).toISOString()} now={now} />
                    {usedAt !== undefined && (
                      <>
                        {" · "}
                        {t("Last used")} <Time at={new Date(usedAt).toISOString()} now={now} />
                      </>
                    )}
                  </p>
                </div>
                <a
                  class="button button-small"
                  href={`/account/factors/passkeys/${id}/remove`}
                  aria-label={t("Remove {name}", { name })}
                  aria-current="false"
                >
                  {t("Remove")}
                </a>
              </li>
            ))}
          </ul>
        )}
        {offersPasskeys
          ? (
            <div class="form-actions">
              <a class="button" href="/account/factors/passkeys/new" aria-current="false">
                {t("Add passkey")}
              </a>
            </div>
          )
          : (
            <p class="help">
              {t(
                "Browsers offer passkeys only on https with a host name, or on localhost. Open the dashboard there to add one.",
              )}
            </p>
          )}
      </section>
      <section class="card stack" aria-labelledby="app">
        <h2 id="app">{t("Authenticator app")}</h2>
        <p class="prose">
          {totp === undefined
            ? t("An app on your phone shows a new 6-digit code every 30 seconds.")
            : (
              <>
                {t("Added")} <Time at={new Date(totp.createdAt).toISOString()} now={now} />
              </>
            )}
        </p>
        <div class="form-actions">
          <a class="button" href="/account/factors/app" aria-current="false">
            {totp === undefined ? t("Set up app") : t("Replace app")}
          </a>
          {totp !== undefined && (
            <a class="button" href="/account/factors/app/remove" aria-current="false">
              {t("Remove app")}
            </a>
          )}
        </div>
      </section>
      {hasFactor && (
        <section class="card stack" aria-labelledby="codes">
          <h2 id="codes">{t("Recovery codes")}</h2>
          <p class="prose">
            {recoveryCodes === 0
              ? t("No recovery codes are left. Create new ones before you lose your device.")
              : plural(
                recoveryCodes,
                "One recovery code is left.",
                "{count} recovery codes are left.",
              )}
          </p>
          <div class="form-actions">
            <a class="button" href="/account/factors/codes" aria-current="false">
              {t("Create new codes")}
            </a>
          </div>
        </section>
      )}
    </div>
  );
}
