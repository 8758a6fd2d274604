import { apiHandler } from "@/lib/http/api_handler.ts";
import { requireScope } from "@/lib/http/authenticate.ts";
import { agentIdQuery } from "@/lib/http/conversation_query.ts";
import { pageRequest } from "@/lib/http/dashboard/page_request.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant } = await requireScope(ctx.req, ctx.state, "conversations:read");
    const page = { ...pageRequest(ctx.url), agentId: agentIdQuery(ctx.url) };
    return Response.json(await service.conversations.list(tenant, page));
  },
}));
