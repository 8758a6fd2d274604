import { CHECKED_BY_ROUTE, reachableFilter } from "@/lib/http/agent_access.ts";
import { apiHandler } from "@/lib/http/api_handler.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { conversationFilterParams, uuidParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const wanted = { scope: "conversations:read", agentId: CHECKED_BY_ROUTE } as const;
    const identity = await requireScope(ctx.req, ctx.state, wanted);
    const id = uuidParam(ctx.params.id);
    const filter = reachableFilter(identity, conversationFilterParams(ctx.url));
    const lines = await service.runSeals.export(identity.tenant, id, filter);
    const body = ReadableStream.from(lines).pipeThrough(new TextEncoderStream());
    return new Response(body, { headers: { "content-type": "application/x-ndjson" } });
  },
}));
