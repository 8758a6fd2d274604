import { apiHandler } from "@/lib/http/api_handler.ts";
import { authorizeChatMessage, readChatMessage } from "@/lib/http/chat_message.ts";
import { sseResponse } from "@/lib/http/sse_response.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async POST(ctx) {
    const { service: { chat, runtime, closing }, rateLimiter } = ctx.state;
    const message = await readChatMessage(ctx);
    const { replayed, open } = await rateLimiter.transact(async (view) => {
      const { request, ...options } = await authorizeChatMessage(ctx, message, view);
      return await chat.start(request, {
        ...options,
        reader: view,
        admit: (run) => rateLimiter.admitRun(view, run),
      });
    });
    const headers: Record<string, string> = replayed ? { "idempotency-replayed": "true" } : {};
    return sseResponse(await open(), { runtime, closing, headers });
  },
}));
