import { page } from "fresh";
import { FactorList } from "@/components/account/FactorList.tsx";
import { Notice, PageNotice } from "@/components/Notice.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { signedInAccount } from "@/lib/dashboard/authorization.ts";
import { flashMessageOf } from "@/lib/dashboard/flash_messages.ts";
import { passkeyOrigin } from "@/lib/dashboard/sign_in/passkey_origin.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";
import { define } from "@/utils.ts";

/** The second factors of the signed-in user. */
export const handler = define.handlers({
  async GET(ctx) {
    const { factors, runtime } = ctx.state.service;
    return page({
      factors: await factors.summary(signedInAccount(ctx.state)),
      offersPasskeys: passkeyOrigin(ctx) !== undefined,
      now: runtime.now(),
    });
  },
});

export default define.page<typeof handler>(({ data, state, url }) => (
  <>
    <PageHeader
      title={t("Two-factor sign-in")}
      text={t("Protects your account even if someone learns your password.")}
      back={{ href: "/account", label: t("Your account") }}
    />
    <PageNotice notice={flashMessageOf(url)} />
    {signedInAccount(state).mustAddFactor && (
      <Notice kind="warning">
        {t(
          "Your account needs a second factor. Add a passkey or an authenticator app to continue.",
        )}
      </Notice>
    )}
    <FactorList {...data} />
  </>
));
