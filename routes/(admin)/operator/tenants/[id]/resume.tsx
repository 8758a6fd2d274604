import { ErrorView } from "@/components/ErrorView.tsx";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { define } from "@/utils.ts";

/** Ends a suspension. */
export const handler = define.handlers({
  async POST(ctx) {
    const id = ctx.params.id!;
    const resumed = await ctx.state.service.tenantLifecycle.resume(id);
    if (resumed === "not_found" || resumed === "deleting") {
      return await ctx.render(<ErrorView status={404} />, { status: 404 });
    }
    return ctx.redirect(withFlashMessage(`/operator/tenants/${id}`, "tenant_resumed"), 303);
  },
});
