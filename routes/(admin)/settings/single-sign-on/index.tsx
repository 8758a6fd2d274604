import { type Context, page } from "fresh";
import {
  OidcConnectionState,
  type OidcConnectionStateProps,
} from "@/components/oidc/OidcConnectionState.tsx";
import { OidcSettingsForm } from "@/components/oidc/OidcSettingsForm.tsx";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { Notice, PageNotice } from "@/components/Notice.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import type { ReauthFieldProps } from "@/components/ReauthField.tsx";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { flashMessageOf, withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import {
  NO_OIDC_SETTINGS,
  type OidcSettingsInput,
  type OidcSettingsIssues,
  parseOidcSettings,
  readOidcSettings,
  toOidcSettingsInput,
} from "@/lib/dashboard/oidc_settings_form.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { OIDC_PROBLEM_TEXTS } from "@/lib/dashboard/sign_in/oidc_problem_texts.ts";
import { needsReauthentication, reauthenticate } from "@/lib/dashboard/sign_in/reauthenticate.ts";
import { callbackPath } from "@/lib/services/oidc/oidc_clients.ts";
import { isOidcProblem } from "@/lib/services/oidc/oidc_error.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";
import { define, type State } from "@/utils.ts";

interface Data {
  values: OidcSettingsInput;
  hasSecret: boolean;
  state?: OidcConnectionStateProps;
  password: ReauthFieldProps;
  issues?: OidcSettingsIssues;
}

/** A tenant's own identity provider. */
export const handler = define.handlers({
  async GET(ctx) {
    return page<Data>(await dataOf(ctx, { asked: needsReauthentication(ctx.state) }));
  },

  async POST(ctx) {
    const { oidc, runtime } = ctx.state.service;
    const { tenant } = signedIn(ctx.state);
    const form = await readForm(ctx.req, runtime);
    const values = readOidcSettings(form);
    const rejected = await reauthenticate(ctx, form);
    if (rejected !== undefined) {
      const data = await dataOf(ctx, { asked: true, issue: rejected.message });
      return page<Data>({ ...data, values }, rejected);
    }
    const connection = await oidc.read(tenant);
    const parsed = parseOidcSettings(values, {
      clientSecret: form.get("clientSecret") ?? "",
      before: connection?.settings,
      ...connection && { isUnreadable: connection.isUnreadable },
    });
    if ("issues" in parsed) {
      const data = await dataOf(ctx, { asked: false });
      return page<Data>({ ...data, values, issues: parsed.issues }, { status: 400 });
    }
    await oidc.set(tenant, parsed.settings);
    return ctx.redirect(withFlashMessage("/settings/single-sign-on", "oidc_saved"), 303);
  },
});

async function dataOf({ state }: Context<State>, password: ReauthFieldProps): Promise<Data> {
  const { baseUrl, oidc, runtime } = state.service;
  const { tenant } = signedIn(state);
  const connection = await oidc.read(tenant);
  if (connection === undefined) return { values: NO_OIDC_SETTINGS, hasSecret: false, password };
  const { settings, test, isUnreadable } = connection;
  const at = (path: string) => new URL(path, baseUrl).href;
  return {
    values: toOidcSettingsInput(settings),
    hasSecret: settings.clientSecret !== undefined,
    password,
    ...isUnreadable && {
      issues: { clientSecret: t("The stored secret cannot be read. Enter it again.") },
    },
    state: {
      ...{ test, now: runtime.now(), signInLink: at(`/sign-in?tenant=${tenant}`) },
      addresses: {
        redirect: at(callbackPath(tenant)),
        logout: at(`/sign-in/oidc/back-channel-logout/${tenant}`),
        signOut: at("/sign-in"),
      },
    },
  };
}

export default define.page<typeof handler>(({ data, url }) => {
  const { state, ...form } = data;
  const problem = url.searchParams.get("problem") ?? "";
  return (
    <>
      <PageHeader
        title={t("Single sign-on")}
        titlePrefix={unsavedTitle({ ...form.issues, own_password: form.password.issue })}
        text={t("Your team signs in at your own OpenID Connect provider.")}
        back={{ href: "/settings", label: t("Settings") }}
      />
      <PageNotice notice={flashMessageOf(url)} />
      {isOidcProblem(problem) && <Notice kind="error">{t(OIDC_PROBLEM_TEXTS[problem])}</Notice>}
      <div class="narrow sections">
        {state && <OidcConnectionState {...state} />}
        <OidcSettingsForm {...form} />
      </div>
    </>
  );
});
