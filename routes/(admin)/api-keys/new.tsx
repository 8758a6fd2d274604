import { page } from "fresh";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { KEY_LIFETIMES, NewKeyForm, type NewKeyFormProps } from "@/components/NewKeyForm.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { RevealedKey } from "@/components/RevealedKey.tsx";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { CUSTOM_PRESET, presetOf, presetScopes } from "@/lib/dashboard/key_presets.ts";
import {
  offerAgents,
  parseKeyRestrictions,
  readKeyRestrictions,
} from "@/lib/dashboard/key_restrictions_form.ts";
import { unlessOverQuota } from "@/lib/dashboard/quota_message.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { newSubmissionId, submitOnce } from "@/lib/dashboard/submit_once.ts";
import { needsReauthentication, reauthenticate } from "@/lib/dashboard/sign_in/reauthenticate.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { isoTime } from "@/lib/platform/runtime.ts";
import { newApiKeySchema } from "@/lib/schemas/api_key.ts";
import { define, type State } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

const DAY_MS = 86_400_000;

/** `secret` is the whole key, which only this response contains. */
type Data = { form: NewKeyFormProps } | { name: string; secret: string };

export const handler = define.handlers({
  async GET(ctx) {
    const preset = presetOf(ctx.url.searchParams.get("preset"));
    return page<Data>({ form: { ...await blank(ctx.state), preset } });
  },

  async POST(ctx) {
    const { service } = ctx.state;
    const form = await readForm(ctx.req, ctx.state.service.runtime);
    const [name, chosen] = [form.get("name") ?? "", form.getAll("scopes")];
    const preset = form.get("preset") ?? CUSTOM_PRESET;
    const scopes = presetScopes(preset, chosen);
    const days = KEY_LIFETIMES.find(([value]) => value === form.get("days"))?.[0] ?? "";
    const expiresAt = isoTime(service.runtime.now() + Number(days) * DAY_MS);
    const purpose = form.get("purpose");
    const restrictions = readKeyRestrictions(form);
    const restricted = parseKeyRestrictions(restrictions);
    const input = newApiKeySchema.safeParse({
      ...{ name, scopes },
      ...days && { expiresAt },
      // Scripts that post this form without the field create keys without a purpose.
      ...purpose !== null && { purpose },
      ..."restrictions" in restricted && restricted.restrictions,
    });
    const typed = {
      ...await blank(ctx.state, restrictions.agents),
      ...{ name, preset, scopes: chosen, days, restrictions },
      ...purpose !== null && { purpose },
    };
    if (!input.success || "issues" in restricted) {
      const wrong = new Set(input.error?.issues.map((issue) => issue.path[0]));
      const issues = {
        ...(wrong.has("name") && { name: t("Enter a name of 1 to 128 characters.") }),
        ...(wrong.has("purpose") && { purpose: t("Enter a purpose of 1 to 200 characters.") }),
        ...(wrong.has("scopes") && { scopes: t("Choose at least one scope.") }),
        ..."issues" in restricted && restricted.issues,
      };
      return page<Data>({ form: { ...typed, issues } }, { status: 400 });
    }
    const rejected = await reauthenticate(ctx, form);
    if (rejected !== undefined) {
      return page<Data>({ form: { ...typed, issues: { password: rejected.message } } }, rejected);
    }
    const { tenant } = signedIn(ctx.state);
    const made = await unlessOverQuota(() =>
      submitOnce(ctx, form, () => service.apiKeys.create(tenant, input.data))
    );
    if ("full" in made) {
      const asksPassword = needsReauthentication(ctx.state);
      const issues = { form: made.full };
      return page<Data>({ form: { ...typed, asksPassword, issues } }, { status: 403 });
    }
    if ("rejected" in made) {
      return ctx.redirect(withFlashMessage("/api-keys", "key_made_before"), 303);
    }
    return page<Data>({ name: input.data.name, secret: made.secret }, { status: 201 });
  },
});

async function blank(state: State, chosen: readonly string[] = []): Promise<NewKeyFormProps> {
  const { tenant } = signedIn(state);
  return {
    offered: await offerAgents(state.service.agents, { tenant, chosen }),
    preset: presetOf(null),
    asksPassword: needsReauthentication(state),
    once: newSubmissionId(state),
  };
}

export default define.page<typeof handler>(({ data }) =>
  "secret" in data
    ? <RevealedKey title={t("Key “{name}” created", { name: data.name })} secret={data.secret} />
    : (
      <>
        <PageHeader
          title={t("Create API key")}
          titlePrefix={unsavedTitle(data.form.issues ?? {})}
          back={{ href: "/api-keys", label: t("API keys") }}
        />
        <div class="card narrow">
          <NewKeyForm {...data.form} />
        </div>
      </>
    )
);
