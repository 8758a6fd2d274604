import { type Context, page } from "fresh";
import { ErrorView } from "@/components/ErrorView.tsx";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { ConnectForm, type ConnectFormProps } from "@/components/models/ConnectForm.tsx";
import { Notice } from "@/components/Notice.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import {
  type ConnectIssues,
  connectProvider,
  type ConnectValues,
  freeConnection,
  parseConnect,
} from "@/lib/dashboard/models/connect_provider.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { needsReauthentication, reauthenticate } from "@/lib/dashboard/sign_in/reauthenticate.ts";
import { findPreset, type ProviderPreset } from "@/lib/schemas/provider_presets.ts";
import { define, type State } from "@/utils.ts";
import { rich, t } from "@/lib/dashboard/texts/translate.ts";

type Data = ConnectFormProps & { isFull: boolean };

export const handler = define.handlers({
  async GET(ctx) {
    const preset = findPreset(ctx.params.preset);
    if (preset === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const values = { baseUrl: preset.baseUrl, name: preset.name };
    return page(formData(ctx, preset, { values, issues: {} }));
  },

  /** Connects, and leads to the provider's models. */
  async POST(ctx) {
    const preset = findPreset(ctx.params.preset);
    if (preset === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { service } = ctx.state;
    const form = await readForm(ctx.req, service.runtime);
    const parsed = parseConnect(form, preset);
    const reject = (issues: ConnectIssues, answer: { status: number; headers?: HeadersInit }) =>
      page(formData(ctx, preset, { values: parsed.values, issues }), answer);
    if ("issues" in parsed) return reject(parsed.issues, { status: 400 });
    const vendor = freeConnection(service, preset);
    if (vendor === undefined) return reject({}, { status: 409 });
    const rejected = await reauthenticate(ctx, form);
    if (rejected !== undefined) return reject({ password: rejected.message }, rejected);
    const problem = await connectProvider(service, { vendor, config: parsed.config });
    if (problem !== undefined) return reject({ form: problem }, { status: 422 });
    return ctx.redirect(`/operator/providers/${vendor}/models`, 303);
  },
});

function formData(
  { state }: Context<State>,
  preset: ProviderPreset,
  { values, issues }: { values: ConnectValues; issues: ConnectIssues },
): Data {
  const isFull = freeConnection(state.service, preset) === undefined;
  return { preset, values, issues, isFull, asksPassword: needsReauthentication(state) };
}

export default define.page<typeof handler>(({ data: { isFull, ...form } }) => (
  <>
    <PageHeader
      title={t("Connect {name}", { name: form.preset.name })}
      titlePrefix={unsavedTitle(form.issues)}
      back={{ href: "/operator/providers/connect", label: t("Providers") }}
    />
    {isFull
      ? (
        <Notice kind="warning">
          {rich("All three connections are in use. {link} first.", {
            link: <a href="/operator/providers" aria-current="false">{t("Disconnect one")}</a>,
          })}
        </Notice>
      )
      : <ConnectForm {...form} />}
  </>
));
