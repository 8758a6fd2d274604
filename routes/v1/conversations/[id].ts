import { apiHandler } from "@/lib/http/api_handler.ts";
import { requireScope } from "@/lib/http/authenticate.ts";
import { conversationFilter } from "@/lib/http/conversation_query.ts";
import { pageRequest } from "@/lib/http/dashboard/page_request.ts";
import { discardBody } from "@/lib/http/read_json.ts";
import { uuidParam } from "@/lib/http/uuid_param.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant } = await requireScope(ctx.req, ctx.state, "conversations:read");
    const id = uuidParam(ctx.params.id);
    const wanted = { filter: conversationFilter(ctx.url), page: pageRequest(ctx.url) };
    return Response.json(await service.conversations.get(tenant, id, wanted));
  },

  async DELETE(ctx) {
    const { service } = ctx.state;
    await discardBody(ctx.req, service.system);
    const { tenant } = await requireScope(ctx.req, ctx.state, "conversations:write");
    const id = uuidParam(ctx.params.id);
    await service.conversations.delete(tenant, id, conversationFilter(ctx.url));
    return new Response(null, { status: 204 });
  },
}));
