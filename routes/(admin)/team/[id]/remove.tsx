import { ConfirmPage } from "@/components/ConfirmPage.tsx";
import { ReauthField } from "@/components/ReauthField.tsx";
import { actOnMember } from "@/lib/dashboard/act_on_member.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";
import { define } from "@/utils.ts";

/** Removes a member. */
export const handler = define.handlers(
  actOnMember((team, by, id) => team.remove(by, id), "member_removed"),
);

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
