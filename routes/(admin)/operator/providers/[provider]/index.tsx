import { type Context, page } from "fresh";
import { ErrorView } from "@/components/ErrorView.tsx";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import {
  EditConnectionForm,
  type EditConnectionFormProps,
} from "@/components/models/EditConnectionForm.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import {
  type ConnectIssues,
  connectProvider,
  type ConnectValues,
} from "@/lib/dashboard/models/connect_provider.ts";
import {
  type EditableConnection,
  parseConnectionEdit,
  readEditableConnection,
} from "@/lib/dashboard/models/edit_connection.ts";
import { defaultProviderLabel } from "@/lib/dashboard/models/model_groups.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { needsReauthentication, reauthenticate } from "@/lib/dashboard/sign_in/reauthenticate.ts";
import { findPresetByAddress } from "@/lib/schemas/provider_presets.ts";
import { define, type State } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

type Data = EditConnectionFormProps & { title: string };

export const handler = define.handlers({
  async GET(ctx) {
    const edited = await readEditableConnection(ctx);
    if (edited === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { baseUrl, name = "" } = edited.config;
    return page(formData(ctx, edited, { values: { baseUrl, name }, issues: {} }));
  },

  async POST(ctx) {
    const edited = await readEditableConnection(ctx);
    if (edited === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const form = await readForm(ctx.req, ctx.state.service.runtime);
    const parsed = parseConnectionEdit(form, edited);
    const reject = (issues: ConnectIssues, answer: { status: number; headers?: HeadersInit }) =>
      page(formData(ctx, edited, { values: parsed.values, issues }), answer);
    if ("issues" in parsed) return reject(parsed.issues, { status: 400 });
    const rejected = await reauthenticate(ctx, form);
    if (rejected !== undefined) return reject({ password: rejected.message }, rejected);
    const { vendor } = edited;
    const problem = await connectProvider(ctx.state.service, { vendor, config: parsed.config });
    if (problem !== undefined) return reject({ form: problem }, { status: 422 });
    return ctx.redirect(withFlashMessage("/operator/providers", "slot_saved"), 303);
  },
});

function formData(
  { state }: Context<State>,
  { vendor, config }: EditableConnection,
  { values, issues }: { values: ConnectValues; issues: ConnectIssues },
): Data {
  return {
    vendor,
    values,
    issues,
    keyUrl: findPresetByAddress(config.baseUrl)?.keyUrl,
    asksPassword: needsReauthentication(state),
    title: config.name ?? defaultProviderLabel(vendor),
  };
}

export default define.page<typeof handler>(({ data: { title, ...form } }) => (
  <>
    <PageHeader
      title={title}
      titlePrefix={unsavedTitle(form.issues)}
      back={{ href: "/operator/providers", label: t("Model providers") }}
    />
    <EditConnectionForm {...form} />
  </>
));
