import { page } from "fresh";
import { ConfirmPage } from "@/components/ConfirmPage.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { findModel, modelHref } from "@/lib/dashboard/models/model_form.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { findModelUsers } from "@/lib/dashboard/models/model_users.ts";
import { ModelUsersText } from "@/components/models/ModelUsersText.tsx";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const entry = findModel(await ctx.state.service.catalogue.listStored(), ctx.url);
    if (entry === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const own = signedIn(ctx.state).tenant;
    return page({ entry, users: await findModelUsers(ctx.state.service, { ...entry, own }) });
  },

  async POST(ctx) {
    const { catalogue, runtime } = ctx.state.service;
    const entry = findModel(await catalogue.listStored(), ctx.url);
    if (entry === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    await catalogue.remove(entry.vendor, entry.model, runtime);
    return ctx.redirect(withFlashMessage("/operator/models", "model_deleted"), 303);
  },
});

export default define.page<typeof handler>(({ data: { entry, users } }) => (
  <ConfirmPage
    title={t("Remove model")}
    back={{ href: "/operator/models", label: t("Models") }}
    action={modelHref("delete", entry)}
    question={t("Remove {model}?", { model: entry.model })}
    confirm={t("Remove model")}
  >
    <ModelUsersText {...users} />
    <p>{t("A model from the CATALOGUE file is added again at the next start.")}</p>
  </ConfirmPage>
));
