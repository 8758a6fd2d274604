import { apiHandler } from "@/lib/http/api_handler.ts";
import { pageRequestParams } from "@/lib/http/request_params.ts";
import { requireSession } from "@/lib/http/run_access.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const session = await requireSession(ctx.req, ctx.state);
    const page = pageRequestParams(ctx.url);
    return Response.json(await service.ownConversations.list(session, page));
  },
}));
