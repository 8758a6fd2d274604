import { type Context, page } from "fresh";
import { ConfirmPage } from "@/components/ConfirmPage.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { withNotice } from "@/lib/http/notices.ts";
import { signedIn } from "@/lib/http/signed_in.ts";
import type { ApiKey } from "@/lib/storage/api_key_store.ts";
import { define, type State } from "@/utils.ts";

/** Asks without scripts, and revokes for both ways of asking. */
export const handler = define.handlers({
  async GET(ctx) {
    const apiKey = await findApiKey(ctx);
    if (apiKey === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    return page(apiKey);
  },

  async POST(ctx) {
    const apiKey = await findApiKey(ctx);
    if (apiKey === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    await ctx.state.service.apiKeys.revoke(signedIn(ctx.state).tenant, apiKey.id);
    return ctx.redirect(withNotice("/api-keys", "key_revoked"), 303);
  },
});

async function findApiKey(ctx: Context<State>): Promise<ApiKey | undefined> {
  const apiKeys = await ctx.state.service.apiKeys.list(signedIn(ctx.state).tenant);
  return apiKeys.find((one) => one.id === ctx.params.id);
}

export default define.page<typeof handler>(({ data: apiKey }) => (
  <ConfirmPage
    title="Revoke API key"
    back={{ href: "/api-keys", label: "API keys" }}
    action={`/api-keys/${apiKey.id}/revoke`}
    question={`Revoke ${apiKey.name}?`}
    confirm="Revoke"
  >
    <p>Whatever uses this key is refused from now on. This cannot be undone.</p>
  </ConfirmPage>
));
