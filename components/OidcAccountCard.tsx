import type { OidcSignIn } from "@/lib/services/oidc/oidc_sign_in.ts";
import type { SignedInUser } from "@/lib/services/signed_in_user.ts";
import { withQuery } from "@/lib/dashboard/with_query.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** The provider in a user's account, if one is configured. */
export function OidcAccountCard(
  { oidc, user }: {
    oidc: Pick<OidcSignIn, "providerName" | "path"> | undefined;
    user: SignedInUser;
  },
) {
  if (oidc === undefined) return null;
  const provider = oidc.providerName;
  const hasPassword = user.hasPassword !== false;
  return (
    <section class="card stack" id="identity-provider">
      <h2>{t("Identity provider")}</h2>
      <p class="prose">
        {hasPassword
          ? t("Sign in with {provider} as well as with your password.", { provider })
          : t("You sign in with {provider}. Sign in again before sensitive changes.", { provider })}
      </p>
      <div class="form-actions">
        {hasPassword
          ? <a class="button" href="/account/oidc" aria-current="false">{t("Link or unlink")}</a>
          : (
            <a
              class="button"
              href={withQuery(oidc.path, { again: "yes", next: "/account" })}
              aria-current="false"
            >
              {t("Sign in again")}
            </a>
          )}
      </div>
    </section>
  );
}
