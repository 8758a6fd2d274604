import type { FactorSummary } from "@/lib/services/factors/second_factors.ts";
import { plural } from "@/lib/dashboard/format_amount.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** What of two-factor sign-in a user has switched on. */
export function FactorCard({ factors: { passkeys, totp } }: { factors: FactorSummary }) {
  const parts = [
    ...passkeys.length > 0 ? [plural(passkeys.length, "1 passkey", "{count} passkeys")] : [],
    ...totp === undefined ? [] : [t("authenticator app")],
  ];
  return (
    <section class="card stack">
      <h2>{t("Two-factor sign-in")}</h2>
      <p class="prose">
        {parts.length === 0
          ? t(
            "Off. A passkey or an authenticator app protects your account even if someone learns your password.",
          )
          : t("On: {factors}.", { factors: parts.join(", ") })}
      </p>
      <div class="form-actions">
        <a class="button" href="/account/factors" aria-current="false">
          {parts.length === 0 ? t("Set up") : t("Manage")}
        </a>
      </div>
    </section>
  );
}
