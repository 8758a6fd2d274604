import type { FactorSummary } from "@/lib/services/factors/second_factors.ts";
import { rich, t } from "@/lib/dashboard/texts/translate.ts";

/** What joining means, and everything that opens the account: some of it may not be the person's. */
export function JoinDetails(
  { email, hasPassword, factors, issuer }: {
    email: string;
    hasPassword: boolean;
    factors: FactorSummary;
    issuer?: string | undefined;
  },
) {
  const { passkeys, totp } = factors;
  return (
    <div class="stack">
      <p>
        {rich("You'll join as {email} and can switch between tenants in the menu.", {
          email: <b>{email}</b>,
        })}
      </p>
      <p>
        {t("Anyone who can sign in to your account can also act for you there. Ways to sign in:")}
      </p>
      <ul class="bullets">
        {hasPassword && <li>{t("Your password, or a password reset link")}</li>}
        {passkeys.map(({ id, name }) => <li key={id}>{t("The passkey “{name}”", { name })}</li>)}
        {totp && <li>{t("Your authenticator app, together with your password")}</li>}
        {issuer !== undefined && (
          <li>{t("The identity provider {issuer}", { issuer: new URL(issuer).host })}</li>
        )}
      </ul>
      <p>
        {rich("If one of them isn't yours, remove it in {link} first.", {
          link: <a href="/account">{t("your account")}</a>,
        })}
      </p>
    </div>
  );
}
