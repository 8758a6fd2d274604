import { agentOfList, CHECKED_BY_ROUTE } from "@/lib/http/agent_access.ts";
import { apiHandler } from "@/lib/http/api_handler.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { pageRequestParams } from "@/lib/http/request_params.ts";
import { unansweredParams } from "@/lib/http/unanswered_params.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const wanted = { scope: "conversations:read", agentId: CHECKED_BY_ROUTE } as const;
    const identity = await requireScope(ctx.req, ctx.state, wanted);
    const asked = unansweredParams(ctx.url);
    const filter = { ...asked, agentId: agentOfList(identity, asked.agentId) };
    const page = pageRequestParams(ctx.url);
    return Response.json(await service.unanswered.list(identity.tenant, filter, page));
  },
}));
