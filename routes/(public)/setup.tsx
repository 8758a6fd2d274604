import { page } from "fresh";
import { NewPasswordInput } from "@/components/NewPasswordInput.tsx";
import { AuthCard } from "@/components/AuthCard.tsx";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { Field } from "@/components/Field.tsx";
import { PostForm } from "@/components/PostForm.tsx";
import type { SetUpResult } from "@/lib/services/installation_setup.ts";
import { MIN_PASSWORD_LENGTH } from "@/lib/schemas/limits.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { setSignInCookies } from "@/lib/dashboard/sign_in/sign_in_cookie.ts";
import { signInClient } from "@/lib/dashboard/sign_in/sign_in_client.ts";
import { signInRejection } from "@/lib/dashboard/sign_in/sign_in_rejection.ts";
import { define } from "@/utils.ts";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";
import { translateMessages } from "@/lib/dashboard/texts/service_message.ts";

const LABELS = { token: msg("Setup token"), email: msg("Email"), password: msg("Password") };

interface Data {
  token: string;
  email: string;
  issue?: string | undefined;
  issues: { token?: string; email?: string; password?: string };
}

export const handler = define.handlers({
  async GET(ctx) {
    if (!await ctx.state.service.setup.isNeeded()) return ctx.redirect("/sign-in", 303);
    const token = ctx.url.searchParams.get("token") ?? "";
    return page<Data>({ token, email: "", issues: {} });
  },

  async POST(ctx) {
    const { service } = ctx.state;
    const form = await readForm(ctx.req, ctx.state.service.runtime);
    const [token, email] = [form.get("token") ?? "", form.get("email") ?? ""];
    const password = form.get("password") ?? "";
    const result = await service.setup.complete({
      token,
      email,
      password,
      from: signInClient(ctx),
    });
    if ("cookieToken" in result) {
      const response = ctx.redirect("/home", 303);
      setSignInCookies(response.headers, result, service.config);
      return response;
    }
    if (result.rejected === "already_set_up") return ctx.redirect("/sign-in", 303);
    const { status, headers, message } = signInRejection(result);
    const data: Data = { token, email, issue: message, issues: fieldIssues(result) };
    return page(data, { status, headers });
  },
});

function fieldIssues(result: Exclude<SetUpResult, { cookieToken: string }>): Data["issues"] {
  if (result.rejected === "invalid") return translateMessages(result.issues);
  if (result.rejected !== "wrong_token") return {};
  return { token: t("This setup token is not the one from the latest start.") };
}

export default define.page<typeof handler>(({ data }) => (
  <AuthCard
    title={t("Set up your service")}
    titlePrefix={unsavedTitle({ ...data.issues, form: data.issue })}
    text={t(
      "Create the first owner account. Enter the setup token to prove that you run this installation.",
    )}
  >
    <PostForm
      noValidate
      action="/setup"
      class="stack"
      issues={{ ...data.issues, form: data.issue }}
      labels={LABELS}
    >
      <Field
        name="token"
        label={LABELS.token}
        focused
        issue={data.issues.token}
        help={t("From the startup log, or the value of SETUP_TOKEN.")}
      >
        {(attributes) => (
          <input
            type="text"
            class="mono"
            {...attributes}
            value={data.token}
            required
            autocomplete="off"
            spellcheck={false}
          />
        )}
      </Field>
      <Field name="email" label={LABELS.email} issue={data.issues.email}>
        {(attributes) => (
          <input type="email" {...attributes} value={data.email} required autocomplete="username" />
        )}
      </Field>
      <Field
        name="password"
        label={LABELS.password}
        issue={data.issues.password}
        help={data.issues.password === undefined &&
          t("At least {length} characters.", { length: MIN_PASSWORD_LENGTH })}
      >
        {(attributes) => <NewPasswordInput attributes={attributes} />}
      </Field>
      <button class="button button-primary button-wide" type="submit">
        {t("Create owner account")}
      </button>
    </PostForm>
  </AuthCard>
));
