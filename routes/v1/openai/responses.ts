import { apiHandler } from "@/lib/http/api_handler.ts";
import { collectRun } from "@/lib/http/collect_run.ts";
import { OpenAiResponsesEncoder } from "@/lib/http/openai/openai_responses_encoder.ts";
import { findPreviousResponse } from "@/lib/http/openai/find_previous_response.ts";
import { throwIfFailed } from "@/lib/http/openai/throw_if_failed.ts";
import type { ResponseRequest } from "@/lib/http/openai/response_object.ts";
import { requireAgentId, startOpenAiChat } from "@/lib/http/openai/start_openai_chat.ts";
import { sseResponse } from "@/lib/http/sse_response.ts";
import { parseOrThrow } from "@/lib/schemas/api_error.ts";
import { agentOfModel } from "@/lib/schemas/openai_chat.ts";
import {
  fromOpenAiResponses,
  type OpenAiResponsesBody,
  openAiResponsesSchema,
} from "@/lib/schemas/openai_responses.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async POST(ctx) {
    let body!: OpenAiResponsesBody;
    const { run, headers } = await startOpenAiChat(ctx, {
      protocol: "openai-responses",
      async convert(json) {
        body = parseOrThrow(openAiResponsesSchema, json);
        const agentId = requireAgentId(agentOfModel(body.model));
        const id = body.previous_response_id ?? undefined;
        const earlier = id === undefined
          ? { messages: [] }
          : await findPreviousResponse(ctx, { id, agentId });
        return fromOpenAiResponses(body, earlier);
      },
    });
    const { runtime, closing } = ctx.state.service;
    const request = repeatedFields(body);
    if (body.stream) {
      const encoder = new OpenAiResponsesEncoder(run.id, request);
      return sseResponse(run, { runtime, closing, headers, encoder });
    }
    const frames = await collectRun(run);
    throwIfFailed(run.id, frames);
    return Response.json(OpenAiResponsesEncoder.collect(run.id, request, frames), {
      headers: { ...headers, "x-run-id": run.id },
    });
  },
}));

function repeatedFields(body: OpenAiResponsesBody): ResponseRequest {
  return {
    model: body.model,
    previousResponseId: body.previous_response_id ?? null,
    maxOutputTokens: body.max_output_tokens ?? null,
    temperature: body.temperature ?? null,
    metadata: body.metadata ?? {},
  };
}
