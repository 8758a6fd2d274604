import { CHECKED_BY_ROUTE, reachableFilter } from "@/lib/http/agent_access.ts";
import { apiHandler } from "@/lib/http/api_handler.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import {
  conversationFilterParams,
  pageRequestParams,
  uuidParam,
} from "@/lib/http/request_params.ts";
import { discardBody } from "@/lib/http/bodies/read_json.ts";
import { define } from "@/utils.ts";

const READ = { scope: "conversations:read", agentId: CHECKED_BY_ROUTE } as const;
const WRITE = { scope: "conversations:write", agentId: CHECKED_BY_ROUTE } as const;

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const identity = await requireScope(ctx.req, ctx.state, READ);
    const id = uuidParam(ctx.params.id);
    const filter = reachableFilter(identity, conversationFilterParams(ctx.url));
    const wanted = { filter, page: pageRequestParams(ctx.url) };
    return Response.json(await service.conversations.get(identity.tenant, id, wanted));
  },

  async DELETE(ctx) {
    const { service } = ctx.state;
    await discardBody(ctx.req, service.runtime);
    const identity = await requireScope(ctx.req, ctx.state, WRITE);
    const id = uuidParam(ctx.params.id);
    const filter = reachableFilter(identity, conversationFilterParams(ctx.url));
    await service.conversations.delete(identity.tenant, id, filter);
    return new Response(null, { status: 204 });
  },
}));
