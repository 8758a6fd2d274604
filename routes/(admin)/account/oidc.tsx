import { type Context, page } from "fresh";
import { ConfirmPage } from "@/components/ConfirmPage.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { ReauthField, type ReauthFieldProps } from "@/components/ReauthField.tsx";
import { signedInAccount } from "@/lib/dashboard/authorization.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { setOidcCookie } from "@/lib/dashboard/sign_in/oidc_cookie.ts";
import { OIDC_PROBLEM_TEXTS } from "@/lib/dashboard/sign_in/oidc_problem_texts.ts";
import { needsReauthentication, reauthenticate } from "@/lib/dashboard/sign_in/reauthenticate.ts";
import { readSignInCookie } from "@/lib/dashboard/sign_in/sign_in_cookie.ts";
import { OidcError } from "@/lib/services/oidc/oidc_error.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";
import { define, type State } from "@/utils.ts";

interface Data {
  provider: string;
  isLinked: boolean;
  password: ReauthFieldProps;
  problem?: string;
  /** The address at the provider, once the user has confirmed. */
  continueAt?: string;
}

/** Links the provider to the account of a user with a password, or unlinks it. */
export const handler = define.handlers({
  async GET(ctx) {
    return page<Data | undefined>(await readData(ctx));
  },

  async POST(ctx) {
    const data = await readData(ctx);
    if (data === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { oidc, runtime } = ctx.state.service;
    const rejected = await reauthenticate(ctx, await readForm(ctx.req, runtime));
    if (rejected !== undefined) {
      const password = { asked: true, issue: rejected.message };
      return page<Data | undefined>({ ...data, password }, rejected);
    }
    if (!data.isLinked) return await link(ctx, data);
    await (await oidc.ofUser(signedInAccount(ctx.state)))?.unlink(signedInAccount(ctx.state));
    return ctx.redirect(withFlashMessage("/account", "oidc_unlinked"), 303);
  },
});

/** A user without a password could not sign in any more. */
async function readData(ctx: Context<State>): Promise<Data | undefined> {
  const user = signedInAccount(ctx.state);
  const at = await ctx.state.service.oidc.ofUser(user);
  if (at === undefined || user.hasPassword === false) return undefined;
  return {
    provider: at.providerName,
    isLinked: await at.issuerOf(user) !== undefined,
    password: { asked: needsReauthentication(ctx.state) },
  };
}

/** The answer has a link: browsers do not let a form lead to another site. */
async function link(ctx: Context<State>, data: Data) {
  const { config, oidc } = ctx.state.service;
  const cookieToken = readSignInCookie(ctx.req.headers, config) ?? "";
  const user = signedInAccount(ctx.state);
  try {
    const link = { user, cookieToken };
    const at = (await oidc.ofUser(user))!;
    const { url, browser } = await at.start({ next: "/account", again: true, link });
    const headers = new Headers();
    setOidcCookie(headers, browser, config);
    return page<Data | undefined>({ ...data, continueAt: url }, { headers });
  } catch (error) {
    if (!(error instanceof OidcError)) throw error;
    return page<Data | undefined>({ ...data, problem: t(OIDC_PROBLEM_TEXTS[error.problem]) }, {
      status: 502,
    });
  }
}

export default define.page<typeof handler>(({ data }) => {
  const back = { href: "/account", label: t("Your account") };
  if (data === undefined) {
    return (
      <PageHeader
        title={t("Identity provider")}
        text={t("There is nothing to link.")}
        back={back}
      />
    );
  }
  const { continueAt, isLinked, password, problem, provider } = data;
  if (continueAt !== undefined) {
    return (
      <>
        <PageHeader title={t("Link identity provider")} back={back} />
        <div class="card stack narrow">
          <p>{t("Sign in there once with the identity that belongs to this account.")}</p>
          <div class="form-actions">
            <a class="button button-primary" href={continueAt}>
              {t("Continue to {provider}", { provider })}
            </a>
          </div>
        </div>
      </>
    );
  }
  const title = isLinked ? t("Unlink identity provider") : t("Link identity provider");
  return (
    <ConfirmPage
      title={title}
      back={back}
      action="/account/oidc"
      question={isLinked
        ? t("Unlink {provider}?", { provider })
        : t("Link {provider} to your account?", { provider })}
      confirm={title}
      reversible
      issues={{ own_password: password.issue, form: problem }}
      fields={<ReauthField {...password} />}
    >
      <p>
        {isLinked
          ? t("You then sign in with your password only.")
          : t("You can then sign in there as well as with your password.")}
      </p>
    </ConfirmPage>
  );
});
