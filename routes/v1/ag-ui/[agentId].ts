import { fromAgUi } from "@/lib/http/ag_ui_message.ts";
import { answerCalls } from "@/lib/http/answer_calls.ts";
import { apiHandler } from "@/lib/http/api_handler.ts";
import { readChatMessage } from "@/lib/http/chat_message.ts";
import { AgUiEncoder } from "@/lib/http/encoders/ag_ui_encoder.ts";
import { bearerKey } from "@/lib/http/identify_key.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { sseResponse } from "@/lib/http/sse_response.ts";
import { startChat } from "@/lib/http/start_chat.ts";
import { type AgUiInput, agUiInputSchema } from "@/lib/schemas/ag_ui.ts";
import { parseOrThrow } from "@/lib/schemas/api_error.ts";
import { define } from "@/utils.ts";

function optionsOf({ threadId, runId, protocolVersion }: AgUiInput) {
  const isVersion1 = /^[1-9]\d*\./.test(protocolVersion ?? "");
  return { thread: { threadId, runId }, isVersion1 };
}

export const handler = define.handlers(apiHandler({
  async POST(ctx) {
    const agentId = uuidParam(ctx.params.agentId);
    const header = ctx.req.headers.get("x-service-session") ?? undefined;
    const sessionToken = bearerKey(ctx.req) === undefined ? header : undefined;
    let input!: AgUiInput;
    const message = await readChatMessage(ctx, {
      protocol: "ag-ui",
      convert(json) {
        input = parseOrThrow(agUiInputSchema, json);
        return fromAgUi(input, { agentId, sessionToken });
      },
    });
    const { runtime, closing } = ctx.state.service;
    if (message.answered !== undefined) {
      const { run, ...continues } = await answerCalls(ctx, message.answered);
      const encoder = new AgUiEncoder({ ...optionsOf(input), runId: run.id, continues });
      return sseResponse(run, { runtime, closing, after: continues.after, encoder });
    }
    const { run, headers } = await startChat(ctx, message);
    const encoder = new AgUiEncoder({ ...optionsOf(input), runId: run.id });
    return sseResponse(run, { runtime, closing, headers, encoder });
  },
}));
