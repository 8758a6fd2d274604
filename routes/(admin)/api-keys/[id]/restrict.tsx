import { type Context, page } from "fresh";
import { ErrorView } from "@/components/ErrorView.tsx";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { RestrictKeyForm, type RestrictKeyFormProps } from "@/components/RestrictKeyForm.tsx";
import { findApiKey } from "@/lib/dashboard/find_member.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import {
  type KeyRestrictionsInput,
  offerAgents,
  parseKeyRestrictions,
  readKeyRestrictions,
  restrictionsOf,
} from "@/lib/dashboard/key_restrictions_form.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { needsReauthentication, reauthenticate } from "@/lib/dashboard/sign_in/reauthenticate.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import type { ApiKey } from "@/lib/store/credentials/api_key_store.ts";
import { define, type State } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const apiKey = await findApiKey(ctx);
    if (apiKey === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    return page<RestrictKeyFormProps>(await formOf(ctx, apiKey, restrictionsOf(apiKey)));
  },

  async POST(ctx) {
    const apiKey = await findApiKey(ctx);
    if (apiKey === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const form = await readForm(ctx.req, ctx.state.service.runtime);
    const input = readKeyRestrictions(form);
    const typed = await formOf(ctx, apiKey, input);
    const parsed = parseKeyRestrictions(input);
    if ("issues" in parsed) {
      const { issues } = parsed;
      return page<RestrictKeyFormProps>({ ...typed, issues }, { status: 400 });
    }
    const rejected = await reauthenticate(ctx, form);
    if (rejected !== undefined) {
      return page<RestrictKeyFormProps>({ ...typed, passwordIssue: rejected.message }, rejected);
    }
    const { apiKeys } = ctx.state.service;
    const saved = await apiKeys.restrict(
      signedIn(ctx.state).tenant,
      apiKey.id,
      parsed.restrictions,
    );
    if (saved !== null) return ctx.redirect(withFlashMessage("/api-keys", "key_restricted"), 303);
    const issue = t("The key is no longer active.");
    return page<RestrictKeyFormProps>({ ...typed, issue }, { status: 409 });
  },
});

async function formOf(
  ctx: Context<State>,
  apiKey: ApiKey,
  restrictions: KeyRestrictionsInput,
): Promise<RestrictKeyFormProps> {
  const { tenant } = signedIn(ctx.state);
  const { agents } = ctx.state.service;
  const offered = await offerAgents(agents, { tenant, chosen: restrictions.agents });
  return { apiKey, restrictions, offered, asksPassword: needsReauthentication(ctx.state) };
}

export default define.page<typeof handler>(({ data }) => (
  <>
    <PageHeader
      title={t("Restrict {name}", { name: data.apiKey.name })}
      titlePrefix={unsavedTitle({
        ...data.issues,
        form: data.issue,
        password: data.passwordIssue,
      })}
      back={{ href: "/api-keys", label: t("API keys") }}
    />
    <div class="card narrow">
      <RestrictKeyForm {...data} />
    </div>
  </>
));
