import { type Context, page } from "fresh";
import { ConfirmPage } from "@/components/ConfirmPage.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { ReauthField, type ReauthFieldProps } from "@/components/ReauthField.tsx";
import { JoinDetails } from "@/components/account/JoinDetails.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { signedIn, signedInAccount } from "@/lib/dashboard/authorization.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { needsReauthentication, reauthenticate } from "@/lib/dashboard/sign_in/reauthenticate.ts";
import { readSignInCookie } from "@/lib/dashboard/sign_in/sign_in_cookie.ts";
import type { FactorSummary } from "@/lib/services/factors/second_factors.ts";
import type { JoinResult } from "@/lib/services/tenants/memberships.ts";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";
import { define, type State } from "@/utils.ts";

interface Data {
  token: string;
  /** The address that is invited. */
  email: string;
  tenantName: string;
  factors: FactorSummary;
  /** The issuer at which the account signs in, besides its password. */
  issuer?: string | undefined;
  password: ReauthFieldProps;
  issue?: string;
}

const REJECTIONS: Readonly<Record<Exclude<JoinResult, "joined" | "gone">, string>> = {
  already_member: msg("You are on this team already."),
  too_many: msg("You've reached the maximum number of teams. Leave one first."),
  own_provider: msg(
    "Your account signs in at your organization's own identity provider, so it can't be used in other tenants. Unlink the provider first, or ask for an invitation for another address.",
  ),
};

/** Joins the tenant of an invitation with the account that is signed in, and shows that tenant. */
export const handler = define.handlers<Data | undefined>({
  async GET(ctx) {
    const data = await readData(ctx, ctx.url.searchParams.get("token") ?? "");
    return page<Data | undefined>(data, { status: data === undefined ? 410 : 200 });
  },

  async POST(ctx) {
    const { clientAddress: address, service } = ctx.state;
    const form = await readForm(ctx.req, service.runtime);
    const token = form.get("token") ?? "";
    const data = await readData(ctx, token);
    const account = signedInAccount(ctx.state);
    const invitation = await service.team.findInvitation(token);
    if (data === undefined || invitation === undefined) return page(undefined, { status: 410 });
    if (account.email !== data.email) return page<Data>(data, { status: 403 });
    const rejected = await reauthenticate(ctx, form);
    if (rejected !== undefined) {
      return page<Data>({ ...data, password: { asked: true, issue: rejected.message } }, rejected);
    }
    const result = await service.memberships.join(account, invitation);
    if (result === "gone") return page(undefined, { status: 410 });
    if (result !== "joined") {
      const issue = t(REJECTIONS[result]);
      return page<Data>({ ...data, password: { asked: false }, issue }, { status: 409 });
    }
    const cookieToken = readSignInCookie(ctx.req.headers, service.config) ?? "";
    const { tenant } = invitation.link;
    await service.memberships.switchTo(signedIn(ctx.state), { tenant, cookieToken, address });
    return ctx.redirect(withFlashMessage("/home", "tenant_joined"), 303);
  },
});

async function readData({ state }: Context<State>, token: string): Promise<Data | undefined> {
  const { factors, oidc, team, tenants } = state.service;
  const account = signedInAccount(state);
  const invitation = await team.findInvitation(token);
  if (invitation === undefined) return undefined;
  const [tenant, summary, provider] = await Promise.all([
    tenants.get(invitation.link.tenant),
    factors.summary(account),
    oidc.ofUser(account),
  ]);
  return {
    ...{ token, email: invitation.link.email, tenantName: tenant?.name ?? "", factors: summary },
    issuer: await provider?.issuerOf(account),
    password: { asked: needsReauthentication(state) },
  };
}

export default define.page<typeof handler>(({ data, state }) => {
  if (data === undefined) return <ErrorView status={410} />;
  const { token, email, tenantName, factors, issuer, password, issue } = data;
  const back = { href: "/home", label: t("Home") };
  const account = signedInAccount(state);
  if (account.email !== email) {
    return (
      <PageHeader
        title={t("Join the team")}
        text={t(
          "This invitation is for {email}, and you are signed in as {account}. Sign out, then open the link again.",
          { email, account: account.email },
        )}
        back={back}
      />
    );
  }
  return (
    <ConfirmPage
      title={t("Join the team")}
      back={back}
      action="/account/join"
      question={t("Join {name}?", { name: tenantName })}
      confirm={t("Join")}
      reversible
      issues={{ form: issue, own_password: password.issue }}
      fields={
        <>
          <input type="hidden" name="token" value={token} />
          <ReauthField {...password} />
        </>
      }
    >
      <JoinDetails {...{ email, factors, issuer }} hasPassword={account.hasPassword !== false} />
    </ConfirmPage>
  );
});
