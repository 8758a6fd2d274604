import { page } from "fresh";
import { ConfirmPage } from "@/components/ConfirmPage.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { findTestSet } from "@/lib/dashboard/test_sets/find_test_set.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const set = await findTestSet(ctx);
    if (set === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    if (isEditor(signedIn(ctx.state))) return page({ set });
    return await ctx.render(<ErrorView status={403} reading />, { status: 403 });
  },

  async POST(ctx) {
    const set = await findTestSet(ctx);
    if (set === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { tenant } = signedIn(ctx.state);
    await ctx.state.service.testSets.delete({ tenant, id: set.id });
    return ctx.redirect(withFlashMessage("/test-sets", "test_set_deleted"), 303);
  },
});

export default define.page<typeof handler>(({ data: { set } }) => (
  <ConfirmPage
    title={t("Delete test set")}
    back={{ href: `/test-sets/${set.id}`, label: set.name }}
    action={`/test-sets/${set.id}/delete`}
    question={t("Delete {name}?", { name: set.name })}
    confirm={t("Delete test set")}
  >
    <p>
      {t(
        "Its cases and run results are deleted. An agent that requires it cannot publish new versions until you change or remove the requirement.",
      )}
    </p>
  </ConfirmPage>
));
