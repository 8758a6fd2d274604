import { type Context, page } from "fresh";
import { ConfirmPage } from "@/components/ConfirmPage.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import type { Invitation } from "@/lib/store/users/account_link_store.ts";
import { define, type State } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const invitation = await find(ctx);
    if (invitation) return page(invitation);
    return await ctx.render(<ErrorView status={404} />, { status: 404 });
  },

  async POST(ctx) {
    const { team } = ctx.state.service;
    const withdrawn = await team.withdrawInvitation(signedIn(ctx.state).tenant, ctx.params.id!);
    if (withdrawn) return ctx.redirect(withFlashMessage("/team", "invitation_withdrawn"), 303);
    return await ctx.render(<ErrorView status={404} />, { status: 404 });
  },
});

async function find(ctx: Context<State>): Promise<Invitation | undefined> {
  const all = await ctx.state.service.team.invitations(signedIn(ctx.state).tenant);
  return all.find(({ id }) => id === ctx.params.id);
}

export default define.page<typeof handler>(({ data: invitation }) => (
  <ConfirmPage
    title={t("Revoke invitation")}
    back={{ href: "/team", label: t("Team") }}
    action={`/team/invitations/${invitation.id}/withdraw`}
    question={t("Revoke the invitation for {email}?", { email: invitation.email })}
    confirm={t("Revoke invitation")}
  >
    <p>{t("Its link stops working. You can invite this person again at any time.")}</p>
  </ConfirmPage>
));
