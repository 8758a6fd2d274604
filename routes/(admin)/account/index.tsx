import { type Context, page } from "fresh";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { Field } from "@/components/Field.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { PostForm } from "@/components/PostForm.tsx";
import { MIN_PASSWORD_LENGTH } from "@/lib/services/credential_rules.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { flashMessageOf, withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import {
  readSignInCookie,
  setSignInCookie,
  setSignInCookies,
} from "@/lib/dashboard/sign_in/sign_in_cookie.ts";
import { signInRejection } from "@/lib/dashboard/sign_in/sign_in_rejection.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { define, type State } from "@/utils.ts";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";
import { translateMessages } from "@/lib/dashboard/texts/service_message.ts";

interface Data {
  email: string;
  issue?: string | undefined;
  issues?: { current?: string; password?: string };
}

const LABELS = { current: msg("Current password"), password: msg("New password") };

export const handler = define.handlers({
  GET(ctx) {
    return page<Data>({ email: signedIn(ctx.state).email });
  },

  async POST(ctx) {
    const { service, clientAddress: address } = ctx.state;
    const user = signedIn(ctx.state);
    const form = await readForm(ctx.req, service.runtime);
    if (form.get("action") === "sign_out_elsewhere") return await signOutElsewhere(ctx);
    const cookieToken = readSignInCookie(ctx.req.headers, service.config) ?? "";
    const [password, next] = [form.get("current") ?? "", form.get("password") ?? ""];
    const rejected =
      await service.signIn.reauthenticate(user, { cookieToken, password, address }) ??
        await changePassword(ctx, next);
    if (rejected instanceof Response) return rejected;
    return rejectedPage(user.email, rejected);
  },
});

type Refused = Exclude<
  | Awaited<ReturnType<typeof changePassword>>
  | Awaited<ReturnType<State["service"]["signIn"]["reauthenticate"]>>,
  Response | undefined
>;

async function changePassword(ctx: Context<State>, password: string) {
  const { service } = ctx.state;
  const result = await service.signIn.changePassword(signedIn(ctx.state), password);
  if (!("cookieToken" in result)) return result;
  const response = ctx.redirect(withFlashMessage("/account", "password_changed"), 303);
  setSignInCookies(response.headers, result, service.config);
  return response;
}

async function signOutElsewhere(ctx: Context<State>): Promise<Response> {
  const { service } = ctx.state;
  const cookieToken = readSignInCookie(ctx.req.headers, service.config) ?? "";
  const token = await service.signIn.signOutElsewhere(signedIn(ctx.state), { cookieToken });
  const response = ctx.redirect(withFlashMessage("/account", "signed_out_elsewhere"), 303);
  if (token !== undefined) setSignInCookie(response.headers, token, service.config);
  return response;
}

function rejectedPage(email: string, rejected: Refused) {
  if (rejected.rejected === "wrong_password") {
    const issues = { current: t("The password is incorrect.") };
    return page<Data>({ email, issues }, { status: 403 });
  }
  if (rejected.rejected === "invalid") {
    return page<Data>({ email, issues: translateMessages(rejected.issues) }, { status: 400 });
  }
  const { status, headers, message } = signInRejection(rejected);
  return page<Data>({ email, issue: message }, { status, headers });
}

export default define.page<typeof handler>(({ data, url }) => {
  const issues = { ...data.issues, form: data.issue };
  return (
    <>
      <PageHeader title={t("Your account")} titlePrefix={unsavedTitle(issues)} text={data.email} />
      <PageNotice notice={flashMessageOf(url)} />
      <div class="narrow sections">
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
            {(attributes) => (
              <input
                type="password"
                {...attributes}
                required
                minLength={MIN_PASSWORD_LENGTH}
                autocomplete="new-password"
              />
            )}
          </Field>
          <div class="form-actions">
            <button class="button button-primary" type="submit">{t("Change password")}</button>
          </div>
        </PostForm>
        <form method="post" action="/account" class="card stack">
          <h2>{t("Other sessions")}</h2>
          <p class="prose">{t("Ends all your other sessions, in every browser.")}</p>
          <div class="form-actions">
            <button class="button" type="submit" name="action" value="sign_out_elsewhere">
              {t("Sign out everywhere else")}
            </button>
          </div>
        </form>
      </div>
    </>
  );
});
