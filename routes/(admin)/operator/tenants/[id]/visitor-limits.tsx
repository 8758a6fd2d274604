import { ErrorView } from "@/components/ErrorView.tsx";
import { withVisitorLimits } from "@/lib/billing/visitor_limits.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { define } from "@/utils.ts";

/** Sets the suggested per-visitor limits that the tenant's plan does not set. */
export const handler = define.handlers({
  GET(ctx) {
    return ctx.redirect(`/operator/tenants/${encodeURIComponent(ctx.params.id!)}`, 303);
  },

  async POST(ctx) {
    const id = ctx.params.id!;
    const isKnown = await ctx.state.service.tenants.changePlan(id, withVisitorLimits);
    if (!isKnown) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const isOwn = id === signedIn(ctx.state).tenant;
    const page = isOwn ? "/home" : `/operator/tenants/${id}`;
    return ctx.redirect(withFlashMessage(page, "visitor_limits_set"), 303);
  },
});
