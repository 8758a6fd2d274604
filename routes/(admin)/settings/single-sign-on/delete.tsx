import { page } from "fresh";
import { ConfirmPage } from "@/components/ConfirmPage.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { ReauthField, type ReauthFieldProps } from "@/components/ReauthField.tsx";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { needsReauthentication, reauthenticate } from "@/lib/dashboard/sign_in/reauthenticate.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";
import { define } from "@/utils.ts";

/** Removes the tenant's own identity provider. */
export const handler = define.handlers({
  async GET(ctx) {
    const connection = await ctx.state.service.oidc.read(signedIn(ctx.state).tenant);
    if (connection === undefined) {
      return await ctx.render(<ErrorView status={404} />, { status: 404 });
    }
    return page<ReauthFieldProps>({ asked: needsReauthentication(ctx.state) });
  },

  async POST(ctx) {
    const { oidc, runtime } = ctx.state.service;
    const rejected = await reauthenticate(ctx, await readForm(ctx.req, runtime));
    if (rejected !== undefined) {
      return page<ReauthFieldProps>({ asked: true, issue: rejected.message }, rejected);
    }
    if (!await oidc.delete(signedIn(ctx.state).tenant)) {
      return await ctx.render(<ErrorView status={404} />, { status: 404 });
    }
    return ctx.redirect(withFlashMessage("/settings", "oidc_removed"), 303);
  },
});

export default define.page<typeof handler>(({ data }) => (
  <ConfirmPage
    title={t("Remove connection")}
    back={{ href: "/settings/single-sign-on", label: t("Single sign-on") }}
    action="/settings/single-sign-on/delete"
    question={t("Remove your identity provider?")}
    confirm={t("Remove connection")}
    issues={{ own_password: data.issue }}
    fields={<ReauthField {...data} />}
  >
    <p>
      {t(
        "Sign-ins that began there end at once. Members without a password can no longer sign in until you connect the same provider again.",
      )}
    </p>
  </ConfirmPage>
));
