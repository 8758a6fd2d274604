import { page } from "fresh";
import { ConfirmPage } from "@/components/ConfirmPage.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { ReauthField, type ReauthFieldProps } from "@/components/ReauthField.tsx";
import { signedInAccount } from "@/lib/dashboard/authorization.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { afterRemovedFactor } from "@/lib/dashboard/sign_in/after_factor_change.ts";
import { needsReauthentication, reauthenticate } from "@/lib/dashboard/sign_in/reauthenticate.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { totp } = await ctx.state.service.factors.summary(signedInAccount(ctx.state));
    if (totp === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    return page<ReauthFieldProps>({ asked: needsReauthentication(ctx.state) });
  },

  async POST(ctx) {
    const { factors, runtime } = ctx.state.service;
    const rejected = await reauthenticate(ctx, await readForm(ctx.req, runtime));
    if (rejected !== undefined) {
      return page<ReauthFieldProps>({ asked: true, issue: rejected.message }, rejected);
    }
    if (!await factors.removeTotp(signedInAccount(ctx.state))) {
      return await ctx.render(<ErrorView status={404} />, { status: 404 });
    }
    return await afterRemovedFactor(ctx, "totp_removed");
  },
});

export default define.page<typeof handler>(({ data }) => (
  <ConfirmPage
    title={t("Remove authenticator app")}
    back={{ href: "/account/factors", label: t("Two-factor sign-in") }}
    action="/account/factors/app/remove"
    question={t("Remove your authenticator app?")}
    confirm={t("Remove app")}
    issues={{ own_password: data.issue }}
    fields={<ReauthField {...data} />}
  >
    <p>{t("Its codes no longer work, and you are signed out everywhere else.")}</p>
  </ConfirmPage>
));
