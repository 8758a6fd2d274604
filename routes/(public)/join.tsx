import { ChoosePassword, ExpiredLink } from "@/components/ChoosePassword.tsx";
import {
  type AccountLinkPageData,
  consumeAccountLink,
  showAccountLink,
} from "@/lib/dashboard/sign_in/account_link_page.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { define } from "@/utils.ts";
import { rich, t } from "@/lib/dashboard/texts/translate.ts";

export const handler = define.handlers<AccountLinkPageData>({
  GET: (ctx) => showAccountLink(ctx, "invite"),

  async POST(ctx) {
    const form = await readForm(ctx.req, ctx.state.service.runtime);
    return await consumeAccountLink(ctx, "invite", form);
  },
});

export default define.page<typeof handler>(({ data: { email, ...data } }) => {
  if (email === undefined) return <ExpiredLink />;
  const link = <a href={`/account/join?token=${data.token}`}>{t("Join with your account")}</a>;
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
        {rich("Do you have an account with this address already? {link}.", { link })}
      </p>
    </ChoosePassword>
  );
});
