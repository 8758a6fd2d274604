import type { OidcSignIn } from "@/lib/services/oidc/oidc_sign_in.ts";
import { withQuery } from "@/lib/dashboard/with_query.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** Leads to the provider, if one is configured. */
export function OidcSignInLink(
  { oidc, next }: { oidc: Pick<OidcSignIn, "providerName" | "path"> | undefined; next: string },
) {
  if (oidc === undefined) return null;
  return (
    <p class="other-way">
      <a
        class="button button-wide"
        href={withQuery(oidc.path, { next })}
        aria-current="false"
      >
        {t("Sign in with {provider}", { provider: oidc.providerName })}
      </a>
    </p>
  );
}
