import { page } from "fresh";
import { ConfirmPage } from "@/components/ConfirmPage.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { ReauthField, type ReauthFieldProps } from "@/components/ReauthField.tsx";
import type { Member } from "@/lib/services/team_service.ts";
import { findMember, MEMBER_REJECTIONS } from "@/lib/dashboard/find_member.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { needsReauthentication, reauthenticate } from "@/lib/dashboard/sign_in/reauthenticate.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

interface Data {
  member: Member;
  password: ReauthFieldProps;
  issue?: string;
}

export const handler = define.handlers({
  async GET(ctx) {
    const member = await findMember(ctx);
    if (member === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    return page<Data>({ member, password: { asked: needsReauthentication(ctx.state) } });
  },

  async POST(ctx) {
    const member = await findMember(ctx);
    if (member === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { service } = ctx.state;
    const rejected = await reauthenticate(ctx, await readForm(ctx.req, service.runtime));
    if (rejected !== undefined) {
      const password = { asked: true, issue: rejected.message };
      return page<Data>({ member, password }, rejected);
    }
    const removed = await service.team.remove(signedIn(ctx.state), member.id);
    if ("user" in removed) return ctx.redirect(withFlashMessage("/team", "member_removed"), 303);
    const issue = MEMBER_REJECTIONS[removed.rejected];
    return page<Data>({ member, password: { asked: false }, issue }, { status: 409 });
  },
});

export default define.page<typeof handler>(({ data: { member, password, issue } }) => (
  <ConfirmPage
    title={t("Remove member")}
    back={{ href: `/team/${member.id}`, label: member.email }}
    action={`/team/${member.id}/remove`}
    question={t("Remove {email} from the team?", { email: member.email })}
    confirm={t("Remove member")}
    issues={{ form: issue, own_password: password.issue }}
    fields={<ReauthField {...password} />}
  >
    <p>
      {t(
        "They are signed out immediately. Their work stays, and so do the API keys that they know.",
      )}
    </p>
  </ConfirmPage>
));
