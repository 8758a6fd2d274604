import { ErrorView } from "@/components/ErrorView.tsx";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { conversationHref } from "@/lib/dashboard/conversation_filters.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { isUuid } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

/** Stops a run in whichever process it is answered; what was written until then is stored. */
export const handler = define.handlers({
  async POST(ctx) {
    const { runs, inbox, conversations, conversationAudit } = ctx.state.service;
    const { tenant } = signedIn(ctx.state);
    const runId = (ctx.params.runId ?? "").toLowerCase();
    const live = isUuid(runId) ? await inbox.findLive(tenant, runId) : undefined;
    if (live !== undefined) {
      const { conversationId: id, agentId, visitor } = live.facts;
      await conversationAudit.recordStop(live.facts);
      await runs.cancel(tenant, runId);
      const href = conversationHref({ id, agentId, origin: live.origin, visitor });
      return ctx.redirect(withFlashMessage(href, "run_stopped"), 303);
    }
    // It has ended meanwhile.
    const ended = isUuid(runId) ? await conversations.findByRun(tenant, runId) : undefined;
    if (ended === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    return ctx.redirect(`/conversations?id=${ended.id}`, 303);
  },
});
