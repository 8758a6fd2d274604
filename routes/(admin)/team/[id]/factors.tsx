import { ConfirmPage } from "@/components/ConfirmPage.tsx";
import { ReauthField } from "@/components/ReauthField.tsx";
import { actOnMember } from "@/lib/dashboard/act_on_member.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";
import { define } from "@/utils.ts";

/** Resets the second factors of a member. */
export const handler = define.handlers(
  actOnMember((team, by, id) => team.resetFactors(by, id), "factors_reset"),
);

export default define.page<typeof handler>(({ data: { member, password, issue } }) => (
  <ConfirmPage
    title={t("Reset second factors")}
    back={{ href: `/team/${member.id}`, label: member.email }}
    action={`/team/${member.id}/factors`}
    question={t("Reset the second factors of {email}?", { email: member.email })}
    confirm={t("Reset second factors")}
    issues={{ form: issue, own_password: password.issue }}
    fields={<ReauthField {...password} />}
  >
    <p>
      {t(
        "Their passkeys, authenticator app and recovery codes stop working, and they are signed out. Be sure that it is really them who asks.",
      )}
    </p>
  </ConfirmPage>
));
