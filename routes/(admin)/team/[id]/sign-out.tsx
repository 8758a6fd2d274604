import { ConfirmPage } from "@/components/ConfirmPage.tsx";
import { ReauthField } from "@/components/ReauthField.tsx";
import { actOnMember } from "@/lib/dashboard/act_on_member.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";
import { define } from "@/utils.ts";

/** Ends all sessions of a member. */
export const handler = define.handlers(
  actOnMember((team, by, id) => team.signOut(by, id), "member_signed_out"),
);

export default define.page<typeof handler>(({ data: { member, password, issue } }) => (
  <ConfirmPage
    title={t("Sign out everywhere")}
    back={{ href: `/team/${member.id}`, label: member.email }}
    action={`/team/${member.id}/sign-out`}
    question={t("Sign {email} out everywhere?", { email: member.email })}
    confirm={t("Sign out everywhere")}
    reversible
    issues={{ form: issue, own_password: password.issue }}
    fields={<ReauthField {...password} />}
  >
    <p>
      {t("All their sessions end at once, on every device. They can sign in again.")}
    </p>
  </ConfirmPage>
));
