import { type Context, page } from "fresh";
import { ErrorView } from "@/components/ErrorView.tsx";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { ModelForm, type ModelFormProps } from "@/components/ModelForm.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { readForm } from "@/lib/dashboard/read_form.ts";
import {
  findModel,
  modelHref,
  NEW_MODEL,
  parseModelForm,
  readModelForm,
  toModelForm,
} from "@/lib/dashboard/models/model_form.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { connectionViews } from "@/lib/dashboard/models/connection_views.ts";
import { define, type State } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** Creates an entry, or edits the one in the address. */
export const handler = define.handlers({
  async GET(ctx) {
    const slots = slotChoices(ctx);
    if (!ctx.url.searchParams.has("model")) {
      return page<ModelFormProps>({ values: NEW_MODEL, issues: {}, slots, existing: false });
    }
    const entry = findModel(await ctx.state.service.catalogue.listStored(), ctx.url);
    if (entry === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const deleteHref = modelHref("delete", entry);
    const values = toModelForm(entry);
    return page<ModelFormProps>({ values, issues: {}, slots, existing: true, deleteHref });
  },

  async POST(ctx) {
    const { service } = ctx.state;
    const sent = await readForm(ctx.req, service.runtime);
    const values = readModelForm(sent);
    const parsed = parseModelForm(values);
    if ("issues" in parsed) {
      const { issues } = parsed;
      const existing = sent.has("existing");
      const form = { values, issues, slots: slotChoices(ctx), existing };
      return page<ModelFormProps>(form, { status: 400 });
    }
    await service.catalogue.set(parsed.entry, service.runtime);
    return ctx.redirect(withFlashMessage("/operator/models", "model_saved"), 303);
  },
});

function slotChoices(ctx: Context<State>) {
  return connectionViews(ctx.state.service).map(({ vendor, label }) => [vendor, label] as const);
}

function slotName({ slots, values }: ModelFormProps): string {
  return slots.find(([vendor]) => vendor === values.vendor)?.[1] ?? values.vendor;
}

export default define.page<typeof handler>(({ data }) => (
  <>
    <PageHeader
      title={data.existing ? data.values.model : t("Add model")}
      titlePrefix={unsavedTitle(data.issues)}
      {...data.existing && { text: t("Provider: {name}", { name: slotName(data) }) }}
      back={{ href: "/operator/models", label: t("Models") }}
    />
    <ModelForm {...data} />
  </>
));
