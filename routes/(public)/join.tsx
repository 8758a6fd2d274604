import { ChoosePassword, DeadLink } from "@/components/ChoosePassword.tsx";
import { type LinkPageData, showLink, spendLink } from "@/lib/http/dashboard/account_link_page.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers<LinkPageData>({
  GET: (ctx) => showLink(ctx, "invite"),
  POST: (ctx) => spendLink(ctx, "invite"),
});

export default define.page<typeof handler>(({ data: { email, ...data } }) =>
  email === undefined ? <DeadLink /> : (
    <ChoosePassword
      {...data}
      email={email}
      title="Join the team"
      text="You were invited. Choose the password you will sign in with."
      action="/join"
      submit="Create account"
    />
  )
);
