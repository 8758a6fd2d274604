import { answerCalls } from "@/lib/http/answer_calls.ts";
import { apiHandler } from "@/lib/http/api_handler.ts";
import { readChatMessage } from "@/lib/http/chat_message.ts";
import {
  createEncoder,
  encoderOptions,
  findProtocol,
  requestedProtocol,
  requestedWait,
} from "@/lib/http/encoders/requested_protocol.ts";
import { pollResponse } from "@/lib/http/poll_response.ts";
import { sseResponse } from "@/lib/http/sse_response.ts";
import { startChat } from "@/lib/http/start_chat.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async POST(ctx) {
    const gone = ctx.req.signal;
    const { runtime, closing } = ctx.state.service;
    const receivedAt = runtime.now();
    const protocol = findProtocol(ctx.req) ?? "native";
    const message = await readChatMessage(ctx, {
      protocol,
      convert(body) {
        // Reported like an invalid body: after errors of the credential.
        requestedProtocol(ctx.req);
        requestedWait(ctx.req);
        return body;
      },
    });
    if (message.answered !== undefined && protocol !== "native") {
      const { run, ...continues } = await answerCalls(ctx, message.answered);
      const encoder = createEncoder(protocol, run.id, { ...encoderOptions(ctx.req), continues });
      return sseResponse(run, { runtime, closing, after: continues.after, encoder });
    }
    const { run, headers } = await startChat(ctx, message);
    const wait = requestedWait(ctx.req);
    if (wait !== undefined) {
      const waitMs = receivedAt + wait * 1_000 - runtime.now();
      return await pollResponse(run, { runtime, closing, headers, gone, waitMs, empty: "comment" });
    }
    const encoder = createEncoder(protocol, run.id, encoderOptions(ctx.req));
    return sseResponse(run, { runtime, closing, headers, encoder });
  },
}));
