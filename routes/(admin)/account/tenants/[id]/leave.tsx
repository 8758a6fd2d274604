import { type Context, HttpError, page } from "fresh";
import { ConfirmPage } from "@/components/ConfirmPage.tsx";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { MEMBER_REJECTIONS } from "@/lib/dashboard/find_member.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import type { TenantChoice } from "@/lib/services/tenants/memberships.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";
import { define, type State } from "@/utils.ts";

interface Data {
  tenant: TenantChoice;
  issue?: string;
}

/** Leaves a tenant other than that of the account. */
export const handler = define.handlers<Data>({
  async GET(ctx) {
    return page<Data>({ tenant: await requireMembership(ctx) });
  },

  async POST(ctx) {
    const { service } = ctx.state;
    const tenant = await requireMembership(ctx);
    await readForm(ctx.req, service.runtime);
    const left = await service.memberships.leave(signedIn(ctx.state), tenant.id);
    if ("user" in left) return ctx.redirect(withFlashMessage("/account", "tenant_left"), 303);
    return page<Data>({ tenant, issue: MEMBER_REJECTIONS[left.rejected] }, { status: 409 });
  },
});

async function requireMembership(ctx: Context<State>): Promise<TenantChoice> {
  const id = uuidParam(ctx.params.id);
  const all = await ctx.state.service.memberships.choices(signedIn(ctx.state));
  const found = all.find((one) => one.id === id && !one.isHome);
  if (found === undefined) throw new HttpError(404);
  return found;
}

export default define.page<typeof handler>(({ data: { tenant: { id, name }, issue } }) => (
  <ConfirmPage
    title={t("Leave tenant")}
    back={{ href: "/account", label: t("Your account") }}
    action={`/account/tenants/${id}/leave`}
    question={t("Leave {name}?", { name })}
    confirm={t("Leave tenant")}
    issues={{ form: issue }}
  >
    <p>{t("You lose access immediately. To return, you need a new invitation.")}</p>
  </ConfirmPage>
));
