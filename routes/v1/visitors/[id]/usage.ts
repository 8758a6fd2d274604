import { apiHandler } from "@/lib/http/api_handler.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { visitorIdParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant } = await requireScope(ctx.req, ctx.state, "billing:read");
    return Response.json(await service.visitors.usage(tenant, visitorIdParam(ctx.url)));
  },
}));
