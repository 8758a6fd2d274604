import { type Context, page } from "fresh";
import { ConfirmPage } from "@/components/ConfirmPage.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { openConversationHref } from "@/lib/dashboard/conversation_filters.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { readTranscript } from "@/lib/dashboard/find_conversation.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { define, type State } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** Confirmation and deletion of what an agent remembers about a conversation's visitor. */
export const handler = define.handlers({
  async GET(ctx) {
    const transcript = await readTranscript(ctx);
    return transcript?.visitorId === undefined ? await missing(ctx) : page(transcript);
  },

  async POST(ctx) {
    const transcript = await readTranscript(ctx);
    if (transcript?.visitorId === undefined) return await missing(ctx);
    const { tenant } = signedIn(ctx.state);
    const { visitorMemories, conversationAudit } = ctx.state.service;
    const { id, agentId, visitorId } = transcript;
    await visitorMemories.clearOf(
      { tenant, agentId, visitorId },
      conversationAudit.forgetRecord(tenant, id),
    );
    const back = openConversationHref(transcript, ctx.url);
    return ctx.redirect(withFlashMessage(back, "memory_deleted"), 303);
  },
});

async function missing(ctx: Context<State>): Promise<Response> {
  return await ctx.render(<ErrorView status={404} />, { status: 404 });
}

export default define.page<typeof handler>(({ data: transcript, url }) => (
  <ConfirmPage
    title={t("Delete what is remembered")}
    back={{ href: openConversationHref(transcript, url), label: t("Conversation") }}
    action={openConversationHref(transcript, url, "/memory/delete")}
    question={t("Delete everything that the agent remembers about this visitor?")}
    confirm={t("Delete what is remembered")}
  >
    <p>{t("Conversations stay as they are. This cannot be undone.")}</p>
  </ConfirmPage>
));
