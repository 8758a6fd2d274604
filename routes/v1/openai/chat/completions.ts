import { apiHandler } from "@/lib/http/api_handler.ts";
import { collectRun } from "@/lib/http/collect_run.ts";
import { OpenAiChatEncoder } from "@/lib/http/openai/openai_chat_encoder.ts";
import { chatCompletion } from "@/lib/http/openai/chat_completion.ts";
import { throwIfFailed } from "@/lib/http/openai/throw_if_failed.ts";
import { requireAgentId, startOpenAiChat } from "@/lib/http/openai/start_openai_chat.ts";
import { sseResponse } from "@/lib/http/sse_response.ts";
import { parseOrThrow } from "@/lib/schemas/api_error.ts";
import {
  agentOfModel,
  fromOpenAiChat,
  type OpenAiChatBody,
  openAiChatSchema,
} from "@/lib/schemas/openai_chat.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async POST(ctx) {
    let body!: OpenAiChatBody;
    const { run, headers } = await startOpenAiChat(ctx, {
      protocol: "openai-chat",
      convert(json) {
        body = parseOrThrow(openAiChatSchema, json);
        requireAgentId(agentOfModel(body.model));
        return fromOpenAiChat(body);
      },
    });
    const { model, stream, stream_options } = body;
    const { runtime, closing } = ctx.state.service;
    if (stream) {
      const includeUsage = stream_options?.include_usage ?? false;
      const encoder = new OpenAiChatEncoder({ runId: run.id, model, includeUsage });
      return sseResponse(run, { runtime, closing, headers, encoder });
    }
    const frames = await collectRun(run);
    throwIfFailed(run.id, frames);
    return Response.json(chatCompletion(run.id, { model, frames }), {
      headers: { ...headers, "x-run-id": run.id },
    });
  },
}));
