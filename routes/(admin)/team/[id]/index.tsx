import { type Context, page } from "fresh";
import { ErrorView } from "@/components/ErrorView.tsx";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { ReauthField, type ReauthFieldProps } from "@/components/ReauthField.tsx";
import { PostForm } from "@/components/PostForm.tsx";
import { parseRole, RoleSelect } from "@/components/RoleSelect.tsx";
import type { Member, MemberAccount } from "@/lib/services/team_service.ts";
import { findMember, MEMBER_REJECTIONS } from "@/lib/dashboard/find_member.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { needsReauthentication, reauthenticate } from "@/lib/dashboard/sign_in/reauthenticate.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { define, type State } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

interface Data {
  member: Member;
  account: MemberAccount;
  password: ReauthFieldProps;
  issue?: string;
}

export const handler = define.handlers({
  async GET(ctx) {
    const member = await findMember(ctx);
    if (member === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const account = await ctx.state.service.team.accountOf(member);
    return page<Data>({ member, account, password: { asked: needsReauthentication(ctx.state) } });
  },

  async POST(ctx) {
    const member = await findMember(ctx);
    if (member === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    return await changeRole(ctx, member);
  },
});

async function changeRole(ctx: Context<State>, member: Member) {
  const form = await readForm(ctx.req, ctx.state.service.runtime);
  const role = parseRole(form.get("role")) ?? member.role;
  const account = await ctx.state.service.team.accountOf(member);
  const rejected = await reauthenticate(ctx, form);
  if (rejected !== undefined) {
    const password = { asked: true, issue: rejected.message };
    return page<Data>({ member: { ...member, role }, account, password }, rejected);
  }
  const changed = await ctx.state.service.team.changeRole(signedIn(ctx.state), member.id, role);
  if ("user" in changed) return ctx.redirect(withFlashMessage("/team", "member_changed"), 303);
  const issue = MEMBER_REJECTIONS[changed.rejected];
  return page<Data>({ member, account, password: { asked: false }, issue }, { status: 409 });
}

export default define.page<typeof handler>(({ data, state }) => {
  const { member, account, password, issue } = data;
  const isReset = account === "here" || (account === "shared" && signedIn(state).operator);
  const issues = { form: issue, own_password: password.issue };
  return (
    <>
      <PageHeader
        title={member.email}
        titlePrefix={unsavedTitle(issues)}
        back={{ href: "/team", label: t("Team") }}
      />
      <div class="narrow sections">
        <PostForm action={`/team/${member.id}`} class="card stack" issues={issues}>
          <RoleSelect value={member.role} />
          <ReauthField {...password} />
          <div class="form-actions">
            <button class="button button-primary" type="submit">{t("Change role")}</button>
          </div>
        </PostForm>
        {account !== "here" && <p class="prose">{t(MEMBER_REJECTIONS[`account_${account}`])}</p>}
        {isReset && (
          <section class="card stack" aria-labelledby="reset">
            <h2 id="reset">{t("Reset password")}</h2>
            <p class="prose">
              {t(
                "Create a one-time link to set a new password. The old password works until then.",
              )}
            </p>
            <div class="form-actions">
              <a class="button" href={`/team/${member.id}/reset`} aria-current="false">
                {t("Reset password")}
              </a>
            </div>
          </section>
        )}
        <section class="card stack" aria-labelledby="sign-out">
          <h2 id="sign-out">{t("Sign out everywhere")}</h2>
          <p class="prose">{t("Ends all sessions of this member, for example after a theft.")}</p>
          <div class="form-actions">
            <a class="button" href={`/team/${member.id}/sign-out`} aria-current="false">
              {t("Sign out everywhere")}
            </a>
          </div>
        </section>
        {isReset && (
          <section class="card stack" aria-labelledby="factors">
            <h2 id="factors">{t("Reset second factors")}</h2>
            <p class="prose">
              {t("For a member who has lost their device and their recovery codes.")}
            </p>
            <div class="form-actions">
              <a class="button" href={`/team/${member.id}/factors`} aria-current="false">
                {t("Reset second factors")}
              </a>
            </div>
          </section>
        )}
        <section class="card stack" aria-labelledby="remove">
          <h2 id="remove">{t("Remove member")}</h2>
          <p class="prose">
            {t(
              "They are signed out immediately. Their work stays, and so do the API keys that they know.",
            )}
          </p>
          <div class="form-actions">
            <a class="button" href={`/team/${member.id}/remove`} aria-current="false">
              {t("Remove member")}
            </a>
          </div>
        </section>
      </div>
    </>
  );
});
