import { type Context, page } from "fresh";
import { ErrorView } from "@/components/ErrorView.tsx";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { OVERLAPS, RotateKeyForm, type RotateKeyFormProps } from "@/components/RotateKeyForm.tsx";
import { RevealedKey } from "@/components/RevealedKey.tsx";
import { findApiKey } from "@/lib/dashboard/find_member.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { newSubmissionId, submitOnce } from "@/lib/dashboard/submit_once.ts";
import { needsReauthentication, reauthenticate } from "@/lib/dashboard/sign_in/reauthenticate.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import type { ApiKey } from "@/lib/store/credentials/api_key_store.ts";
import { define, type State } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

const HOUR_MS = 3_600_000;

/** `secret` is the whole key, which only this response contains. */
type Data = { form: RotateKeyFormProps } | { name: string; secret: string };

export const handler = define.handlers({
  async GET(ctx) {
    const apiKey = await findApiKey(ctx);
    if (apiKey === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    return page<Data>({ form: formOf(ctx, apiKey) });
  },

  async POST(ctx) {
    const apiKey = await findApiKey(ctx);
    if (apiKey === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const form = await readForm(ctx.req, ctx.state.service.runtime);
    const hours = OVERLAPS.find(([value]) => value === form.get("hours"))?.[0] ?? "24";
    const typed = { ...formOf(ctx, apiKey), hours };
    const rejected = await reauthenticate(ctx, form);
    if (rejected !== undefined) {
      return page<Data>({ form: { ...typed, passwordIssue: rejected.message } }, rejected);
    }
    const { apiKeys } = ctx.state.service;
    const { tenant } = signedIn(ctx.state);
    if (form.get("action") === "end") {
      await apiKeys.endOverlap(tenant, apiKey.id);
      return ctx.redirect(withFlashMessage("/api-keys", "key_overlap_ended"), 303);
    }
    const overlapMs = Number(hours) * HOUR_MS;
    const rotated = await submitOnce(
      ctx,
      form,
      () => apiKeys.rotate(tenant, apiKey.id, { overlapMs }),
    );
    if ("secret" in rotated) {
      return page<Data>({ name: apiKey.name, secret: rotated.secret }, { status: 201 });
    }
    if (rotated.rejected === "sent_before") {
      return ctx.redirect(withFlashMessage("/api-keys", "key_rotated_before"), 303);
    }
    const issue = rotated.rejected === "overlap"
      ? t("The key was already rotated. Revoke its old secret first, or wait until it expires.")
      : t("The key is no longer active.");
    return page<Data>({ form: { ...typed, issue } }, { status: 409 });
  },
});

function formOf(ctx: Context<State>, apiKey: ApiKey): RotateKeyFormProps {
  const now = ctx.state.service.runtime.now();
  return {
    apiKey,
    now,
    asksPassword: needsReauthentication(ctx.state),
    once: newSubmissionId(ctx.state),
  };
}

export default define.page<typeof handler>(({ data }) =>
  "secret" in data
    ? <RevealedKey title={t("New secret of “{name}”", { name: data.name })} secret={data.secret} />
    : (
      <>
        <PageHeader
          title={t("Rotate {name}", { name: data.form.apiKey.name })}
          titlePrefix={unsavedTitle({ form: data.form.issue, password: data.form.passwordIssue })}
          back={{ href: "/api-keys", label: t("API keys") }}
        />
        <div class="card narrow">
          <RotateKeyForm {...data.form} />
        </div>
      </>
    )
);
