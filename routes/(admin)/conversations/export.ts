import {
  readConversationFilters,
  toConversationSearch,
} from "@/lib/dashboard/conversation_filters.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { EXPORT_FORMATS, exportConversations } from "@/lib/dashboard/inbox/export_conversations.ts";
import { dayOf } from "@/lib/platform/utc_day.ts";
import { define } from "@/utils.ts";

const TYPES = { csv: "text/csv", jsonl: "application/jsonl" } as const;

/** Everything that the list with the same filters shows, one run per line, streamed. */
export const handler = define.handlers({
  async GET(ctx) {
    const { conversations, inbox, conversationAudit, runtime } = ctx.state.service;
    const { tenant } = signedIn(ctx.state);
    const wanted = ctx.url.searchParams.get("format");
    const format = EXPORT_FORMATS.find((one) => one === wanted) ?? "csv";
    const filters = readConversationFilters(ctx.url);
    await conversationAudit.recordExport(tenant, { format, filters: { ...filters } });
    const search = toConversationSearch(filters);
    const lines = exportConversations({ inbox, conversations }, { tenant, search, format });
    const body = ReadableStream.from(lines).pipeThrough(new TextEncoderStream());
    const day = dayOf(runtime.now());
    return new Response(body, {
      headers: {
        "content-type": `${TYPES[format]}; charset=utf-8`,
        "content-disposition": `attachment; filename="conversations-${day}.${format}"`,
        "cache-control": "no-store",
      },
    });
  },
});
