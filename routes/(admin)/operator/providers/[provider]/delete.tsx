import { type Context, page } from "fresh";
import { ConfirmPage } from "@/components/ConfirmPage.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { ReauthField, type ReauthFieldProps } from "@/components/ReauthField.tsx";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { findEditableProvider } from "@/lib/dashboard/models/edit_connection.ts";
import { defaultProviderLabel } from "@/lib/dashboard/models/model_groups.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { needsReauthentication, reauthenticate } from "@/lib/dashboard/sign_in/reauthenticate.ts";
import type { ProviderId } from "@/lib/schemas/provider_id.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { findModelUsers, type ModelUsers } from "@/lib/dashboard/models/model_users.ts";
import { ModelUsersText } from "@/components/models/ModelUsersText.tsx";
import { define, type State } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

interface Data {
  vendor: ProviderId;
  name: string;
  users: ModelUsers;
  password: ReauthFieldProps;
}

export const handler = define.handlers({
  async GET(ctx) {
    const vendor = findEditableProvider(ctx);
    if (vendor === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const password = { asked: needsReauthentication(ctx.state) };
    return page<Data>({ ...await readFacts(ctx, vendor), password });
  },

  async POST(ctx) {
    const vendor = findEditableProvider(ctx);
    if (vendor === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { service } = ctx.state;
    const rejected = await reauthenticate(ctx, await readForm(ctx.req, service.runtime));
    if (rejected !== undefined) {
      const password = { asked: true, issue: rejected.message };
      return page<Data>({ ...await readFacts(ctx, vendor), password }, rejected);
    }
    await service.connections.remove(vendor);
    return ctx.redirect(withFlashMessage("/operator/providers", "slot_emptied"), 303);
  },
});

async function readFacts(ctx: Context<State>, vendor: ProviderId): Promise<Omit<Data, "password">> {
  const { service } = ctx.state;
  const own = signedIn(ctx.state).tenant;
  const name = service.providers.connection(vendor)?.name ?? defaultProviderLabel(vendor);
  return { vendor, name, users: await findModelUsers(service, { vendor, own }) };
}

export default define.page<typeof handler>(({ data: { vendor, name, users, password } }) => (
  <ConfirmPage
    title={t("Disconnect")}
    back={{ href: `/operator/providers/${vendor}`, label: name }}
    action={`/operator/providers/${vendor}/delete`}
    question={t("Disconnect {name}?", { name })}
    confirm={t("Disconnect")}
    issues={{ own_password: password.issue }}
    fields={<ReauthField {...password} />}
  >
    <ModelUsersText {...users} />
    <p>{t("Its API key is deleted.")}</p>
  </ConfirmPage>
));
