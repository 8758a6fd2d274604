import { type Context, page } from "fresh";
import { ConfirmPage } from "@/components/ConfirmPage.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { ReauthField, type ReauthFieldProps } from "@/components/ReauthField.tsx";
import { signedInAccount } from "@/lib/dashboard/authorization.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { afterRemovedFactor } from "@/lib/dashboard/sign_in/after_factor_change.ts";
import { needsReauthentication, reauthenticate } from "@/lib/dashboard/sign_in/reauthenticate.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";
import { define, type State } from "@/utils.ts";

interface Data {
  id: string;
  name: string;
  password: ReauthFieldProps;
}

export const handler = define.handlers({
  async GET(ctx) {
    const passkey = await findPasskey(ctx);
    if (passkey === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    return page<Data>({ ...passkey, password: { asked: needsReauthentication(ctx.state) } });
  },

  async POST(ctx) {
    const passkey = await findPasskey(ctx);
    if (passkey === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { factors, runtime } = ctx.state.service;
    const rejected = await reauthenticate(ctx, await readForm(ctx.req, runtime));
    if (rejected !== undefined) {
      const password = { asked: true, issue: rejected.message };
      return page<Data>({ ...passkey, password }, rejected);
    }
    if (!await factors.removePasskey(signedInAccount(ctx.state), passkey.id)) {
      return await ctx.render(<ErrorView status={404} />, { status: 404 });
    }
    return await afterRemovedFactor(ctx, "passkey_removed");
  },
});

async function findPasskey(
  ctx: Context<State>,
): Promise<Pick<Data, "id" | "name"> | undefined> {
  const { passkeys } = await ctx.state.service.factors.summary(signedInAccount(ctx.state));
  const found = passkeys.find(({ id }) => id === ctx.params.id);
  return found && { id: found.id, name: found.name };
}

export default define.page<typeof handler>(({ data: { id, name, password } }) => (
  <ConfirmPage
    title={t("Remove passkey")}
    back={{ href: "/account/factors", label: t("Two-factor sign-in") }}
    action={`/account/factors/passkeys/${id}/remove`}
    question={t("Remove the passkey “{name}”?", { name })}
    confirm={t("Remove passkey")}
    issues={{ own_password: password.issue }}
    fields={<ReauthField {...password} />}
  >
    <p>
      {t(
        "It no longer signs you in, and you are signed out everywhere else. Your device may go on offering it until you delete it there.",
      )}
    </p>
  </ConfirmPage>
));
