import { type Context, page } from "fresh";
import { ConfirmPage } from "@/components/ConfirmPage.tsx";
import { ReauthField, type ReauthFieldProps } from "@/components/ReauthField.tsx";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { plural } from "@/lib/dashboard/format_amount.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { needsReauthentication, reauthenticate } from "@/lib/dashboard/sign_in/reauthenticate.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";
import { define, type State } from "@/utils.ts";

interface Data {
  isRequired: boolean;
  /** Members who have none. */
  without: number;
  password: ReauthFieldProps;
}

/** Whether everyone on the team needs a second factor. */
export const handler = define.handlers({
  async GET(ctx) {
    return page<Data>(await dataOf(ctx, { asked: needsReauthentication(ctx.state) }));
  },

  async POST(ctx) {
    const { factors, runtime } = ctx.state.service;
    const form = await readForm(ctx.req, runtime);
    const rejected = await reauthenticate(ctx, form);
    if (rejected !== undefined) {
      return page<Data>(await dataOf(ctx, { asked: true, issue: rejected.message }), rejected);
    }
    const isRequired = form.get("required") === "yes";
    await factors.require(signedIn(ctx.state).tenant, isRequired);
    const notice = isRequired ? "factor_required" : "factor_optional";
    return ctx.redirect(withFlashMessage("/settings", notice), 303);
  },
});

async function dataOf({ state }: Context<State>, password: ReauthFieldProps): Promise<Data> {
  const { factors, team } = state.service;
  const { tenant } = signedIn(state);
  const [isRequired, members, having] = await Promise.all([
    factors.isRequired(tenant),
    team.countMembers(tenant),
    team.membersWithFactor(tenant),
  ]);
  return { isRequired, without: Math.max(0, members - having.size), password };
}

export default define.page<typeof handler>(({ data: { isRequired, without, password } }) => {
  const title = isRequired ? t("Make second factor optional") : t("Require second factor");
  return (
    <ConfirmPage
      title={title}
      back={{ href: "/settings", label: t("Settings") }}
      action="/settings/second-factor"
      question={isRequired
        ? t("Let people sign in without a second factor?")
        : t("Require a second factor from everyone on the team?")}
      confirm={title}
      reversible
      issues={{ own_password: password.issue }}
      fields={
        <>
          <input type="hidden" name="required" value={isRequired ? "no" : "yes"} />
          <ReauthField {...password} />
        </>
      }
    >
      <p>
        {isRequired
          ? t("Members keep the factors that they have. Operators still need one.")
          : plural(
            without,
            "1 member has none yet, and must add one at their next click.",
            "{count} members have none yet, and must add one at their next click.",
          )}
      </p>
    </ConfirmPage>
  );
});
