import { apiHandler } from "@/lib/http/api_handler.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { conversationFilterParams, uuidParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant } = await requireScope(ctx.req, ctx.state, "conversations:read");
    const id = uuidParam(ctx.params.id);
    const lines = await service.runSeals.export(tenant, id, conversationFilterParams(ctx.url));
    const body = ReadableStream.from(lines).pipeThrough(new TextEncoderStream());
    return new Response(body, { headers: { "content-type": "application/x-ndjson" } });
  },
}));
