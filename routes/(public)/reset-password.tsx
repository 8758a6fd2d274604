import { ChoosePassword, ExpiredLink } from "@/components/ChoosePassword.tsx";
import {
  type AccountLinkPageData,
  consumeAccountLink,
  showAccountLink,
} from "@/lib/dashboard/sign_in/account_link_page.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

export const handler = define.handlers<AccountLinkPageData>({
  GET: (ctx) => showAccountLink(ctx, "reset"),
  async POST(ctx) {
    const form = await readForm(ctx.req, ctx.state.service.runtime);
    return await consumeAccountLink(ctx, "reset", form);
  },
});

export default define.page<typeof handler>(({ data: { email, ...data } }) =>
  email === undefined ? <ExpiredLink /> : (
    <ChoosePassword
      {...data}
      email={email}
      title={t("Choose a new password")}
      text={t("Setting a new password signs you out everywhere else.")}
      action="/reset-password"
      submit={t("Set password")}
    />
  )
);
