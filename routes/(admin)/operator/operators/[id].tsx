import { type Context, page } from "fresh";
import { ConfirmPage } from "@/components/ConfirmPage.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { ReauthField, type ReauthFieldProps } from "@/components/ReauthField.tsx";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { needsReauthentication, reauthenticate } from "@/lib/dashboard/sign_in/reauthenticate.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";
import type { Operator } from "@/lib/services/tenants/operators.ts";
import { define, type State } from "@/utils.ts";

interface Data {
  operator: Operator;
  password: ReauthFieldProps;
  issue?: string;
}

export const handler = define.handlers({
  async GET(ctx) {
    const operator = await findOperator(ctx);
    if (operator === undefined) return await notFound(ctx);
    return page<Data>({ operator, password: { asked: needsReauthentication(ctx.state) } });
  },

  async POST(ctx) {
    const operator = await findOperator(ctx);
    if (operator === undefined) return await notFound(ctx);
    const { service } = ctx.state;
    const rejected = await reauthenticate(ctx, await readForm(ctx.req, service.runtime));
    if (rejected !== undefined) {
      const password = { asked: true, issue: rejected.message };
      return page<Data>({ operator, password }, rejected);
    }
    const revoked = await service.operators.revoke(operator);
    if ("rejected" in revoked && revoked.rejected === "last_operator") {
      const issue = t("The installation needs an operator: make another user an operator first.");
      return page<Data>({ operator, password: { asked: false }, issue }, { status: 409 });
    }
    const isOwn = operator.id === signedIn(ctx.state).id;
    const next = isOwn ? "/home" : "/operator/operators";
    return ctx.redirect(withFlashMessage(next, "operator_revoked"), 303);
  },
});

function findOperator(ctx: Context<State>): Promise<Operator | undefined> {
  return ctx.state.service.operators.find(ctx.params.id!);
}

async function notFound(ctx: Context<State>): Promise<Response> {
  return await ctx.render(<ErrorView status={404} />, { status: 404 });
}

export default define.page<typeof handler>(({ data: { operator, password, issue } }) => (
  <ConfirmPage
    title={t("Remove operator role")}
    back={{ href: "/operator/operators", label: t("Operators") }}
    action={`/operator/operators/${operator.id}`}
    question={t("Remove the operator role of {email}?", { email: operator.email })}
    confirm={t("Remove role")}
    issues={{ form: issue, own_password: password.issue }}
    fields={<ReauthField {...password} />}
  >
    <p>
      {t(
        "They lose the operator's pages from their next request on, and links that they created for other tenants stop working. They stay a user of {tenant}.",
        { tenant: operator.tenantName },
      )}
    </p>
  </ConfirmPage>
));
