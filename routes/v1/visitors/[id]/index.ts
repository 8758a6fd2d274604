import { apiHandler } from "@/lib/http/api_handler.ts";
import { discardBody } from "@/lib/http/bodies/read_json.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { visitorIdParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant } = await requireScope(ctx.req, ctx.state, "conversations:read");
    const visitorId = visitorIdParam(ctx.url);
    return Response.json(await service.visitorErasures.progress(tenant, visitorId));
  },

  async DELETE(ctx) {
    const { service } = ctx.state;
    await discardBody(ctx.req, service.runtime);
    const { tenant } = await requireScope(ctx.req, ctx.state, "conversations:write");
    const erasure = await service.visitorErasures.erase(tenant, visitorIdParam(ctx.url));
    const headers = { location: `/v1/visitor-erasures/${erasure.id}` };
    return Response.json(erasure, { status: 202, headers });
  },
}));
