import { page } from "fresh";
import { ConfirmPage } from "@/components/ConfirmPage.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { findSource } from "@/lib/dashboard/knowledge/source_form.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** Asks whether the pages of a website stay, and deletes it. */
export const handler = define.handlers({
  async GET(ctx) {
    const found = await findSource(ctx);
    if (found === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    if (isEditor(signedIn(ctx.state))) return page({ base: found.base, source: found.source });
    return await ctx.render(<ErrorView status={403} reading />, { status: 403 });
  },

  async POST(ctx) {
    const found = await findSource(ctx);
    if (found === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { webSources, runtime } = ctx.state.service;
    const form = await readForm(ctx.req, runtime);
    await webSources.delete(found.of, { keepPages: form.get("keep") === "on" });
    const path = `/knowledge/${found.base.id}/sources`;
    return ctx.redirect(withFlashMessage(path, "source_deleted"), 303);
  },
});

export default define.page<typeof handler>(({ data: { base, source } }) => (
  <ConfirmPage
    title={t("Delete website")}
    back={{ href: `/knowledge/${base.id}/sources/${source.id}`, label: base.name }}
    action={`/knowledge/${base.id}/sources/${source.id}/delete`}
    question={t("Delete {name}?", { name: source.url })}
    confirm={t("Delete website")}
    fields={
      <label class="check">
        <input type="checkbox" name="keep" />
        <span>{t("Keep its pages as documents")}</span>
      </label>
    }
  >
    <p>
      {t("Its pages are deleted too, and agents no longer find them. This cannot be undone.")}
    </p>
  </ConfirmPage>
));
