import { type Context, page, type PageResponse } from "fresh";
import { AuthCard } from "@/components/AuthCard.tsx";
import { ChoosePassword, ExpiredLink } from "@/components/ChoosePassword.tsx";
import { PostForm } from "@/components/PostForm.tsx";
import {
  type AccountLinkPageData,
  consumeAccountLink,
  showAccountLink,
} from "@/lib/dashboard/sign_in/account_link_page.ts";
import {
  findSignedIn,
  joinWithAccount,
  signInToJoin,
} from "@/lib/dashboard/sign_in/join_with_account.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { define, type State } from "@/utils.ts";
import { rich, t } from "@/lib/dashboard/texts/translate.ts";

interface Data extends AccountLinkPageData {
  /** The address of this browser's sign-in. */
  signedInAs?: string | undefined;
  /** The name of the tenant, for the person who is invited. */
  tenantName?: string | undefined;
}

export const handler = define.handlers<Data>({
  async GET(ctx) {
    return await withSignIn(ctx, await showAccountLink(ctx, "invite"));
  },

  async POST(ctx) {
    const form = await readForm(ctx.req, ctx.state.service.runtime);
    if (form.get("with") !== "account") return await consumeAccountLink(ctx, "invite", form);
    const done = await joinWithAccount(ctx, form);
    return done instanceof Response ? done : await withSignIn(ctx, done);
  },
});

/** Adds who is signed in, and to the person who is invited where they join. */
async function withSignIn(
  ctx: Context<State>,
  { data, status = 200 }: PageResponse<AccountLinkPageData>,
) {
  const { team, tenants } = ctx.state.service;
  const signedInAs = (await findSignedIn(ctx))?.user.email;
  const invitation = signedInAs !== undefined && signedInAs === data.email
    ? await team.findInvitation(data.token)
    : undefined;
  const tenantName = invitation && (await tenants.get(invitation.link.tenant))?.name;
  return page<Data>({ ...data, signedInAs, tenantName }, { status });
}

export default define.page<typeof handler>(({ data: { email, signedInAs, ...data } }) => {
  if (email === undefined) return <ExpiredLink />;
  if (signedInAs === email) return <JoinWithAccount {...data} email={email} />;
  const link = <a href={signInToJoin(data.token)}>{t("Sign in to join with it")}</a>;
  return (
    <ChoosePassword
      {...data}
      email={email}
      title={t("Join the team")}
      text={t("You were invited. Choose a password for your account.")}
      action="/join"
      submit={t("Create account")}
    >
      <p class="help">
        {signedInAs === undefined
          ? rich("Do you have an account with this address already? {link}.", { link })
          : t(
            "You are signed in as {email}. To join with another account, sign out and open this link again.",
            { email: signedInAs },
          )}
      </p>
    </ChoosePassword>
  );
});

/** For a person who is in another tenant already. */
function JoinWithAccount({ token, email, error, tenantName = "" }: Omit<Data, "signedInAs">) {
  return (
    <AuthCard
      title={t("Join the team")}
      text={rich("You were invited to {tenant}, and are signed in as {email}.", {
        tenant: <b dir="auto">{tenantName}</b>,
        email: <b>{email}</b>,
      })}
    >
      <PostForm action="/join" class="stack" issues={{ form: error }} lead={t("You did not join.")}>
        <input type="hidden" name="token" value={token} />
        <input type="hidden" name="with" value="account" />
        <p class="help">
          {t("You keep your account, and can then switch between the tenants in the menu.")}
        </p>
        <button class="button button-primary button-wide" type="submit">{t("Join")}</button>
      </PostForm>
    </AuthCard>
  );
}
