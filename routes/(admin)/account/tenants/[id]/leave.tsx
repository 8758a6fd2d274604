import { type Context, HttpError, page } from "fresh";
import { ConfirmPage } from "@/components/ConfirmPage.tsx";
import { ReauthField, type ReauthFieldProps } from "@/components/ReauthField.tsx";
import { needsReauthentication, reauthenticate } from "@/lib/dashboard/sign_in/reauthenticate.ts";
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
  password: ReauthFieldProps;
  issue?: string;
}

/** Leaves a tenant other than that of the account. */
export const handler = define.handlers<Data>({
  async GET(ctx) {
    const password = { asked: needsReauthentication(ctx.state) };
    return page<Data>({ tenant: await requireMembership(ctx), password });
  },

  async POST(ctx) {
    const { service } = ctx.state;
    const tenant = await requireMembership(ctx);
    const rejected = await reauthenticate(ctx, await readForm(ctx.req, service.runtime));
    if (rejected !== undefined) {
      const password = { asked: true, issue: rejected.message };
      return page<Data>({ tenant, password }, rejected);
    }
    const left = await service.memberships.leave(signedIn(ctx.state), tenant.id);
    if ("user" in left) return ctx.redirect(withFlashMessage("/account", "tenant_left"), 303);
    const issue = MEMBER_REJECTIONS[left.rejected];
    return page<Data>({ tenant, password: { asked: false }, issue }, { status: 409 });
  },
});

async function requireMembership(ctx: Context<State>): Promise<TenantChoice> {
  const id = uuidParam(ctx.params.id);
  const all = await ctx.state.service.memberships.choices(signedIn(ctx.state));
  const found = all.find((one) => one.id === id && !one.isHome);
  if (found === undefined) throw new HttpError(404);
  return found;
}

export default define.page<typeof handler>((
  { data: { tenant: { id, name }, password, issue } },
) => (
  <ConfirmPage
    title={t("Leave tenant")}
    back={{ href: "/account", label: t("Your account") }}
    action={`/account/tenants/${id}/leave`}
    question={t("Leave {name}?", { name })}
    confirm={t("Leave tenant")}
    issues={{ form: issue, own_password: password.issue }}
    fields={<ReauthField {...password} />}
  >
    <p>{t("You lose access immediately. To return, you need a new invitation.")}</p>
  </ConfirmPage>
));
