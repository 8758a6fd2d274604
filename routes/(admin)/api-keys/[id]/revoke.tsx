import { page } from "fresh";
import { ConfirmPage } from "@/components/ConfirmPage.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { ReauthField, type ReauthFieldProps } from "@/components/ReauthField.tsx";
import { findApiKey } from "@/lib/dashboard/find_member.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { needsReauthentication, reauthenticate } from "@/lib/dashboard/sign_in/reauthenticate.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import type { ApiKey } from "@/lib/store/credentials/api_key_store.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

interface Data {
  apiKey: ApiKey;
  password: ReauthFieldProps;
}

/** Confirmation and revocation. */
export const handler = define.handlers({
  async GET(ctx) {
    const apiKey = await findApiKey(ctx);
    if (apiKey === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    return page<Data>({ apiKey, password: { asked: needsReauthentication(ctx.state) } });
  },

  async POST(ctx) {
    const apiKey = await findApiKey(ctx);
    if (apiKey === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const rejected = await reauthenticate(ctx, await readForm(ctx.req, ctx.state.service.runtime));
    if (rejected !== undefined) {
      const password = { asked: true, issue: rejected.message };
      return page<Data>({ apiKey, password }, rejected);
    }
    await ctx.state.service.apiKeys.revoke(signedIn(ctx.state).tenant, apiKey.id);
    return ctx.redirect(withFlashMessage("/api-keys", "key_revoked"), 303);
  },
});

export default define.page<typeof handler>(({ data: { apiKey, password } }) => (
  <ConfirmPage
    title={t("Revoke API key")}
    back={{ href: "/api-keys", label: t("API keys") }}
    action={`/api-keys/${apiKey.id}/revoke`}
    question={t("Revoke {name}?", { name: apiKey.name })}
    confirm={t("Revoke key")}
    issues={{ own_password: password.issue }}
    fields={<ReauthField {...password} />}
  >
    <p>{t("Requests with this key will be rejected. This cannot be undone.")}</p>
  </ConfirmPage>
));
