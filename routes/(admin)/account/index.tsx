import { type Context, page } from "fresh";
import { FactorCard } from "@/components/account/FactorCard.tsx";
import { TenantList } from "@/components/account/TenantList.tsx";
import { SessionList } from "@/components/account/SessionList.tsx";
import type { FactorSummary } from "@/lib/services/factors/second_factors.ts";
import type { OidcSignIn } from "@/lib/services/oidc/oidc_sign_in.ts";
import type { TenantChoice } from "@/lib/services/tenants/memberships.ts";
import type { OwnSignIn } from "@/lib/store/users/own_sign_ins.ts";
import { nextPage } from "@/lib/dashboard/sign_in/sign_in_redirect.ts";
import { NewPasswordInput } from "@/components/NewPasswordInput.tsx";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { Field } from "@/components/Field.tsx";
import { OidcAccountCard } from "@/components/OidcAccountCard.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { PostForm } from "@/components/PostForm.tsx";
import { MIN_PASSWORD_LENGTH } from "@/lib/schemas/limits.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { flashMessageOf, withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import {
  readSignInCookie,
  setSignInCookie,
  setSignInCookies,
} from "@/lib/dashboard/sign_in/sign_in_cookie.ts";
import { signInRejection } from "@/lib/dashboard/sign_in/sign_in_rejection.ts";
import { signedIn, signedInAccount } from "@/lib/dashboard/authorization.ts";
import { define, type State } from "@/utils.ts";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";
import { translateMessages } from "@/lib/dashboard/texts/service_message.ts";

interface Data {
  email: string;
  factors: FactorSummary;
  sessions: OwnSignIn[];
  tenants: TenantChoice[];
  provider: OidcSignIn | undefined;
  issue?: string | undefined;
  issues?: { current?: string; password?: string };
}

const LABELS = { current: msg("Current password"), password: msg("New password") };

export const handler = define.handlers({
  async GET(ctx) {
    return page<Data>(await dataOf(ctx));
  },

  async POST(ctx) {
    const { service, clientAddress: address } = ctx.state;
    const user = signedInAccount(ctx.state);
    const form = await readForm(ctx.req, service.runtime);
    const act = ACTIONS[form.get("action") ?? ""];
    if (act !== undefined) return await act(ctx, form);
    const [password, next] = [form.get("current") ?? "", form.get("password") ?? ""];
    const rejected = await service.signIn.checkPassword(user, { password, address }) ??
      await changePassword(ctx, next);
    if (rejected instanceof Response) return rejected;
    return rejectedPage(await dataOf(ctx), rejected);
  },
});

const ACTIONS: Readonly<
  Record<string, (ctx: Context<State>, form: URLSearchParams) => Promise<Response>>
> = {
  sign_out_elsewhere: signOutElsewhere,
  end_session: endSession,
  dismiss_notice: dismissNotice,
};

async function dataOf(ctx: Context<State>): Promise<Data> {
  const { factors, memberships, oidc, ownSessions } = ctx.state.service;
  const user = signedInAccount(ctx.state);
  const [summary, sessions, provider, tenants] = await Promise.all([
    factors.summary(user),
    ownSessions.list(user),
    oidc.ofUser(user),
    memberships.choices(signedIn(ctx.state)),
  ]);
  ctx.state.tenants = tenants;
  return { email: user.email, factors: summary, sessions, provider, tenants };
}

type Refused = Exclude<
  | Awaited<ReturnType<typeof changePassword>>
  | Awaited<ReturnType<State["service"]["signIn"]["checkPassword"]>>,
  Response | undefined
>;

async function changePassword(ctx: Context<State>, password: string) {
  const { service } = ctx.state;
  const result = await service.ownSessions.changePassword(signedInAccount(ctx.state), password);
  if ("rejected" in result) {
    return result.rejected === "gone" ? ctx.redirect("/sign-in", 303) : result;
  }
  const response = ctx.redirect(withFlashMessage("/account", "password_changed"), 303);
  setSignInCookies(response.headers, result, service.config);
  return response;
}

async function signOutElsewhere(ctx: Context<State>): Promise<Response> {
  const { service } = ctx.state;
  const cookieToken = readSignInCookie(ctx.req.headers, service.config) ?? "";
  const token = await service.ownSessions.signOutElsewhere(signedInAccount(ctx.state), {
    cookieToken,
  });
  const response = ctx.redirect(withFlashMessage("/account", "signed_out_elsewhere"), 303);
  if (token !== undefined) setSignInCookie(response.headers, token, service.config);
  return response;
}

async function endSession(ctx: Context<State>, form: URLSearchParams): Promise<Response> {
  const { factors, ownSessions } = ctx.state.service;
  const user = signedInAccount(ctx.state);
  const session = form.get("session") ?? "";
  await ownSessions.end(user, session);
  await factors.dismissNotice(user, { signIn: session });
  return ctx.redirect(withFlashMessage("/account", "session_ended"), 303);
}

/** Leads back to the page that showed the notice. */
async function dismissNotice(ctx: Context<State>, form: URLSearchParams): Promise<Response> {
  const { baseUrl, factors } = ctx.state.service;
  await factors.dismissNotice(signedInAccount(ctx.state), { notice: form.get("notice") });
  return ctx.redirect(nextPage(ctx.req, { url: ctx.url, baseUrl }), 303);
}

function rejectedPage(data: Data, rejected: Refused) {
  if (rejected.rejected === "wrong_password") {
    const issues = { current: t("The password is incorrect.") };
    return page<Data>({ ...data, issues }, { status: 403 });
  }
  if (rejected.rejected === "invalid") {
    return page<Data>({ ...data, issues: translateMessages(rejected.issues) }, { status: 400 });
  }
  const { status, headers, message } = signInRejection(rejected);
  return page<Data>({ ...data, issue: message }, { status, headers });
}

export default define.page<typeof handler>(({ data, state, url }) => {
  const issues = { ...data.issues, form: data.issue };
  return (
    <>
      <PageHeader title={t("Your account")} titlePrefix={unsavedTitle(issues)} text={data.email} />
      <PageNotice notice={flashMessageOf(url)} />
      <div class="narrow sections">
        {signedInAccount(state).hasPassword !== false && (
          <PostForm action="/account" class="card stack" {...{ issues, labels: LABELS }}>
            <h2>{t("Change password")}</h2>
            {/* For password managers, which ignore fields of type "hidden". */}
            <input type="text" value={data.email} autocomplete="username" readonly hidden />
            <Field name="current" label={LABELS.current} issue={data.issues?.current}>
              {(attributes) => (
                <input type="password" {...attributes} required autocomplete="current-password" />
              )}
            </Field>
            <Field
              name="password"
              label={LABELS.password}
              issue={data.issues?.password}
              help={data.issues?.password
                ? t("This signs you out everywhere else.")
                : t("At least {length} characters. This signs you out everywhere else.", {
                  length: MIN_PASSWORD_LENGTH,
                })}
            >
              {(attributes) => <NewPasswordInput attributes={attributes} />}
            </Field>
            <div class="form-actions">
              <button class="button button-primary" type="submit">{t("Change password")}</button>
            </div>
          </PostForm>
        )}
        <OidcAccountCard oidc={data.provider} user={signedInAccount(state)} />
        <FactorCard factors={data.factors} />
        {data.tenants.length > 0 && (
          <section class="stack" aria-labelledby="tenants">
            <h2 id="tenants">{t("Tenants")}</h2>
            <TenantList tenants={data.tenants} />
          </section>
        )}
        <section class="stack" aria-labelledby="sessions">
          <h2 id="sessions">{t("Sessions")}</h2>
          <SessionList
            sessions={data.sessions}
            current={signedInAccount(state).session.hash}
            now={state.service.runtime.now()}
          />
          <form method="post" action="/account" class="form-actions">
            <button class="button" type="submit" name="action" value="sign_out_elsewhere">
              {t("Sign out everywhere else")}
            </button>
          </form>
        </section>
      </div>
    </>
  );
});
