import { ChoosePassword, ExpiredLink } from "@/components/ChoosePassword.tsx";
import {
  type AccountLinkPageData,
  consumeAccountLink,
  showAccountLink,
} from "@/lib/dashboard/sign_in/account_link_page.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

export const handler = define.handlers<AccountLinkPageData>({
  GET: (ctx) => showAccountLink(ctx, "invite"),
  POST: (ctx) => consumeAccountLink(ctx, "invite"),
});

export default define.page<typeof handler>(({ data: { email, ...data } }) =>
  email === undefined ? <ExpiredLink /> : (
    <ChoosePassword
      {...data}
      email={email}
      title={t("Join the team")}
      text={t("You were invited. Choose a password for your account.")}
      action="/join"
      submit={t("Create account")}
    />
  )
);
