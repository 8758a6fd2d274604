import { type Context, page } from "fresh";
import { QrCode } from "@/components/account/QrCode.tsx";
import { RecoveryCodes } from "@/components/account/RecoveryCodes.tsx";
import { CodeBlock } from "@/components/CodeBlock.tsx";
import { CodeInput } from "@/components/CodeInput.tsx";
import { Field } from "@/components/Field.tsx";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { PostForm } from "@/components/PostForm.tsx";
import { ReauthField, type ReauthFieldProps } from "@/components/ReauthField.tsx";
import { signedInAccount } from "@/lib/dashboard/authorization.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { afterNewFactor, replaceSignIns } from "@/lib/dashboard/sign_in/after_factor_change.ts";
import { needsReauthentication, reauthenticate } from "@/lib/dashboard/sign_in/reauthenticate.ts";
import { totpLink } from "@/lib/services/factors/totp_codes.ts";
import type { TotpOffer } from "@/lib/services/factors/second_factors.ts";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";
import { define, type State } from "@/utils.ts";

const LABELS = { code: msg("Code from the app") };

interface Data {
  offer: TotpOffer;
  /** What the app reads from the QR code. */
  link: string;
  password: ReauthFieldProps;
  issue?: string;
  /** New recovery codes, once. */
  codes?: string[];
}

/** Sets up an authenticator app, in place of an earlier one. */
export const handler = define.handlers({
  async GET(ctx) {
    const offer = await ctx.state.service.factors.offerTotp(signedInAccount(ctx.state));
    return page<Data>(toData(ctx, offer, { asked: needsReauthentication(ctx.state) }));
  },

  async POST(ctx) {
    const { factors, runtime } = ctx.state.service;
    const user = signedInAccount(ctx.state);
    const form = await readForm(ctx.req, runtime);
    const sent = { secret: form.get("secret") ?? "", proof: form.get("proof") ?? "" };
    const isOffered = await factors.isOffer(user, sent);
    const offer = isOffered ? sent : await factors.offerTotp(user);
    const rejected = await reauthenticate(ctx, form);
    if (rejected !== undefined) {
      const password = { asked: true, issue: rejected.message };
      return page<Data>(toData(ctx, offer, password), rejected);
    }
    const before = await factors.summary(user);
    if (!isOffered || !await factors.confirmTotp(user, offer, form.get("code") ?? "")) {
      const issue = isOffered
        ? t("This is not the current code. Check that the clock of your phone is right.")
        : t("This page was open for too long. Scan the new code.");
      return page<Data>({ ...toData(ctx, offer, { asked: false }), issue }, { status: 400 });
    }
    const headers = new Headers();
    if (before.totp !== undefined) await replaceSignIns(ctx, headers);
    const added = await afterNewFactor(ctx, { kind: "totp", notice: "totp_added", headers });
    if (added instanceof Response) return added;
    return page<Data>({ ...toData(ctx, offer, { asked: false }), codes: added }, {
      status: 201,
      headers,
    });
  },
});

function toData(ctx: Context<State>, offer: TotpOffer, password: ReauthFieldProps): Data {
  const host = new URL(ctx.state.service.baseUrl).host;
  const link = totpLink(offer.secret, { account: signedInAccount(ctx.state).email, host });
  return { offer, link, password };
}

export default define.page<typeof handler>(({ data: { offer, link, password, issue, codes } }) => {
  const title = t("Authenticator app");
  if (codes !== undefined) {
    return <RecoveryCodes title={t("Authenticator app is set up")} codes={codes} />;
  }
  const issues = { code: issue, own_password: password.issue };
  return (
    <>
      <PageHeader
        title={title}
        titlePrefix={unsavedTitle(issues)}
        back={{ href: "/account/factors", label: t("Two-factor sign-in") }}
      />
      <PostForm
        action="/account/factors/app"
        class="card narrow stack"
        {...{ issues, labels: LABELS }}
      >
        <p class="prose">
          {t("Scan this code with an authenticator app, then enter the 6 digits that it shows.")}
        </p>
        <QrCode text={link} label={t("QR code for the authenticator app")} />
        <CodeBlock label={t("Or enter this key in the app")} code={offer.secret} wrapped />
        <input type="hidden" name="secret" value={offer.secret} />
        <input type="hidden" name="proof" value={offer.proof} />
        <Field name="code" label={LABELS.code} issue={issue}>
          {(attributes) => <CodeInput {...{ attributes }} autocomplete="off" required />}
        </Field>
        <ReauthField {...password} />
        <div class="form-actions">
          <button class="button button-primary" type="submit">{t("Switch on")}</button>
        </div>
      </PostForm>
    </>
  );
});
