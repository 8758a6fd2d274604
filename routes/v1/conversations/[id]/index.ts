import { apiHandler } from "@/lib/http/api_handler.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import {
  conversationFilterParams,
  pageRequestParams,
  uuidParam,
} from "@/lib/http/request_params.ts";
import { discardBody } from "@/lib/http/bodies/read_json.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant } = await requireScope(ctx.req, ctx.state, "conversations:read");
    const id = uuidParam(ctx.params.id);
    const wanted = { filter: conversationFilterParams(ctx.url), page: pageRequestParams(ctx.url) };
    return Response.json(await service.conversations.get(tenant, id, wanted));
  },

  async DELETE(ctx) {
    const { service } = ctx.state;
    await discardBody(ctx.req, service.runtime);
    const { tenant } = await requireScope(ctx.req, ctx.state, "conversations:write");
    const id = uuidParam(ctx.params.id);
    await service.conversations.delete(tenant, id, conversationFilterParams(ctx.url));
    return new Response(null, { status: 204 });
  },
}));
