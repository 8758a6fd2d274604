import { readForm } from "@/lib/dashboard/read_form.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { isDismissible } from "@/lib/services/home_advice.ts";
import { define } from "@/utils.ts";

/** Dismisses an advice for the whole tenant. */
export const handler = define.handlers({
  GET(ctx) {
    return ctx.redirect("/home", 303);
  },

  async POST(ctx) {
    const { dismissals, runtime } = ctx.state.service;
    const advice = (await readForm(ctx.req, runtime)).get("advice") ?? "";
    // Ignore unknown advice.
    if (!isDismissible(advice)) return ctx.redirect("/home", 303);
    await dismissals.dismiss(signedIn(ctx.state).tenant, advice);
    return ctx.redirect(withFlashMessage("/home", "advice_dismissed"), 303);
  },
});
