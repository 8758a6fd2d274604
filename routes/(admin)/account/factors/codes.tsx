import { page } from "fresh";
import { RecoveryCodes } from "@/components/account/RecoveryCodes.tsx";
import { ConfirmPage } from "@/components/ConfirmPage.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { ReauthField, type ReauthFieldProps } from "@/components/ReauthField.tsx";
import { signedInAccount } from "@/lib/dashboard/authorization.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { needsReauthentication, reauthenticate } from "@/lib/dashboard/sign_in/reauthenticate.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";
import { define, type State } from "@/utils.ts";

interface Data {
  password: ReauthFieldProps;
  codes?: string[];
}

/** New recovery codes in place of the earlier ones. */
export const handler = define.handlers({
  async GET(ctx) {
    if (!await hasFactor(ctx.state)) {
      return await ctx.render(<ErrorView status={404} />, { status: 404 });
    }
    return page<Data>({ password: { asked: needsReauthentication(ctx.state) } });
  },

  async POST(ctx) {
    if (!await hasFactor(ctx.state)) {
      return await ctx.render(<ErrorView status={404} />, { status: 404 });
    }
    const { factors, runtime } = ctx.state.service;
    const rejected = await reauthenticate(ctx, await readForm(ctx.req, runtime));
    if (rejected !== undefined) {
      return page<Data>({ password: { asked: true, issue: rejected.message } }, rejected);
    }
    const codes = await factors.renewRecoveryCodes(signedInAccount(ctx.state));
    return page<Data>({ password: { asked: false }, codes }, { status: 201 });
  },
});

async function hasFactor(state: State): Promise<boolean> {
  const { passkeys, totp } = await state.service.factors.summary(signedInAccount(state));
  return passkeys.length > 0 || totp !== undefined;
}

export default define.page<typeof handler>(({ data: { password, codes } }) =>
  codes !== undefined
    ? <RecoveryCodes title={t("New recovery codes")} codes={codes} />
    : (
      <ConfirmPage
        title={t("Recovery codes")}
        back={{ href: "/account/factors", label: t("Two-factor sign-in") }}
        action="/account/factors/codes"
        question={t("Create new recovery codes?")}
        confirm={t("Create new codes")}
        reversible
        issues={{ own_password: password.issue }}
        fields={<ReauthField {...password} />}
      >
        <p>{t("The earlier codes stop working.")}</p>
      </ConfirmPage>
    )
);
