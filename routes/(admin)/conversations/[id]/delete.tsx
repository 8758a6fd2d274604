import { page } from "fresh";
import { ConfirmPage } from "@/components/ConfirmPage.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { plural } from "@/lib/dashboard/format_amount.ts";
import { conversationFilterParams } from "@/lib/http/request_params.ts";
import { openConversationHref } from "@/lib/dashboard/conversation_filters.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { readTranscript } from "@/lib/dashboard/find_conversation.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** Confirmation and deletion. */
export const handler = define.handlers({
  async GET(ctx) {
    const transcript = await readTranscript(ctx);
    if (transcript === undefined) {
      return await ctx.render(<ErrorView status={404} />, { status: 404 });
    }
    return page(transcript);
  },

  async POST(ctx) {
    const transcript = await readTranscript(ctx);
    if (transcript === undefined) {
      return await ctx.render(<ErrorView status={404} />, { status: 404 });
    }
    const filter = conversationFilterParams(ctx.url);
    await ctx.state.service.conversations.delete(signedIn(ctx.state).tenant, transcript.id, filter);
    return ctx.redirect(withFlashMessage("/conversations", "conversation_deleted"), 303);
  },
});

export default define.page<typeof handler>(({ data: transcript, url }) => (
  <ConfirmPage
    title={t("Delete conversation")}
    back={{ href: openConversationHref(transcript, url), label: t("Conversation") }}
    action={openConversationHref(transcript, url, "/delete")}
    question={t("Delete this conversation?")}
    confirm={t("Delete conversation")}
  >
    <p>
      {t(
        "Deletes the messages of its {count} and cancels a run in progress. Usage totals keep its cost. This cannot be undone.",
        { count: plural(transcript.runCount, "{count} run", "{count} runs") },
      )}
    </p>
  </ConfirmPage>
));
