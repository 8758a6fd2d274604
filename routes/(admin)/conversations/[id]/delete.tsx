import { page } from "fresh";
import { ConfirmPage } from "@/components/ConfirmPage.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { plural } from "@/lib/dashboard/format_amount.ts";
import { conversationFilterParams } from "@/lib/http/request_params.ts";
import { conversationHref } from "@/lib/dashboard/conversation_filters.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { readTranscript } from "@/lib/dashboard/find_conversation.ts";
import { signedIn } from "@/lib/dashboard/permissions.ts";
import { define } from "@/utils.ts";

/** Asks, and deletes. */
export const handler = define.handlers({
  async GET(ctx) {
    const said = await readTranscript(ctx);
    if (said === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    return page(said);
  },

  async POST(ctx) {
    const said = await readTranscript(ctx);
    if (said === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const filter = conversationFilterParams(ctx.url);
    await ctx.state.service.conversations.delete(signedIn(ctx.state).tenant, said.id, filter);
    return ctx.redirect(withFlashMessage("/conversations", "conversation_deleted"), 303);
  },
});

export default define.page<typeof handler>(({ data: said }) => (
  <ConfirmPage
    title="Delete conversation"
    back={{ href: conversationHref(said), label: "Conversation" }}
    action={conversationHref(said, "/delete")}
    question="Delete this conversation?"
    confirm="Delete"
  >
    <p>
      All that was said in its {plural(said.runCount, "run")}{" "}
      goes for good; one that is going on is cancelled. Its cost stays in the sums of usage.
    </p>
  </ConfirmPage>
));
