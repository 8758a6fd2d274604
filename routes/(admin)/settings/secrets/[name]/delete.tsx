import { type Context, page } from "fresh";
import { ConfirmPage } from "@/components/ConfirmPage.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { ReauthField, type ReauthFieldProps } from "@/components/ReauthField.tsx";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { needsReauthentication, reauthenticate } from "@/lib/dashboard/sign_in/reauthenticate.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { define, type State } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

interface Data {
  name: string;
  password: ReauthFieldProps;
}

export const handler = define.handlers({
  async GET(ctx) {
    const name = await findName(ctx);
    if (name === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    return page<Data>({ name, password: { asked: needsReauthentication(ctx.state) } });
  },

  async POST(ctx) {
    const name = await findName(ctx);
    if (name === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { service } = ctx.state;
    const rejected = await reauthenticate(ctx, await readForm(ctx.req, service.runtime));
    if (rejected !== undefined) {
      return page<Data>({ name, password: { asked: true, issue: rejected.message } }, rejected);
    }
    await service.secrets.delete(signedIn(ctx.state).tenant, name);
    return ctx.redirect(withFlashMessage("/settings", "secret_deleted"), 303);
  },
});

async function findName(ctx: Context<State>): Promise<string | undefined> {
  const secrets = await ctx.state.service.secrets.list(signedIn(ctx.state).tenant);
  return secrets.find(({ name }) => name === ctx.params.name)?.name;
}

export default define.page<typeof handler>(({ data: { name, password } }) => (
  <ConfirmPage
    title={t("Delete secret")}
    back={{ href: "/settings", label: t("Settings") }}
    action={`/settings/secrets/${name}/delete`}
    question={t("Delete {name}?", { name })}
    confirm={t("Delete secret")}
    issues={{ own_password: password.issue }}
    fields={<ReauthField {...password} />}
  >
    <p>{t("Tools that use it will fail. This cannot be undone.")}</p>
  </ConfirmPage>
));
