import { apiHandler } from "@/lib/http/api_handler.ts";
import { readChatMessage } from "@/lib/http/chat_message.ts";
import {
  createEncoder,
  findProtocol,
  requestedProtocol,
} from "@/lib/http/encoders/requested_protocol.ts";
import { sseResponse } from "@/lib/http/sse_response.ts";
import { startChat } from "@/lib/http/start_chat.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async POST(ctx) {
    const { runtime, closing } = ctx.state.service;
    const protocol = findProtocol(ctx.req) ?? "native";
    const message = await readChatMessage(ctx, {
      protocol,
      convert(body) {
        // Reported like an invalid body: after errors of the credential.
        requestedProtocol(ctx.req);
        return body;
      },
    });
    const { run, headers } = await startChat(ctx, message);
    const encoder = createEncoder(protocol, run.id);
    return sseResponse(run, { runtime, closing, headers, encoder });
  },
}));
