import { page } from "fresh";
import { ConfirmForm } from "@/components/ConfirmForm.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { withNotice } from "@/lib/http/notices.ts";
import { signedIn } from "@/lib/http/signed_in.ts";
import { define } from "@/utils.ts";

/** Asks without scripts, and revokes for both ways of asking. */
export const handler = define.handlers({
  async GET(ctx) {
    const apiKeys = await ctx.state.service.apiKeys.list(signedIn(ctx.state).tenant);
    const apiKey = apiKeys.find((one) => one.id === ctx.params.id);
    if (apiKey === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    return page(apiKey);
  },

  async POST(ctx) {
    const { tenant } = signedIn(ctx.state);
    const revoked = await ctx.state.service.apiKeys.revoke(tenant, ctx.params.id ?? "");
    if (revoked === null) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    return ctx.redirect(withNotice("/api-keys", "key_revoked"), 303);
  },
});

export default define.page<typeof handler>(({ data: apiKey }) => (
  <>
    <PageHeader title="Revoke API key" back={{ href: "/api-keys", label: "API keys" }} />
    <div class="card narrow">
      <ConfirmForm
        action={`/api-keys/${apiKey.id}/revoke`}
        title={`Revoke ${apiKey.name}?`}
        confirm="Revoke"
        cancelHref="/api-keys"
      >
        <p>Whatever uses this key is refused from now on. This cannot be undone.</p>
      </ConfirmForm>
    </div>
  </>
));
