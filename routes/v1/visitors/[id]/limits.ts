import { apiHandler } from "@/lib/http/api_handler.ts";
import { parseJson, readJsonText } from "@/lib/http/bodies/read_json.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { visitorIdParam } from "@/lib/http/request_params.ts";
import { parseOrThrow } from "@/lib/schemas/api_error.ts";
import { visitorLimitsBodySchema } from "@/lib/schemas/visitor.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant } = await requireScope(ctx.req, ctx.state, "widget:mint");
    return Response.json(await service.visitors.limits(tenant, visitorIdParam(ctx.url)));
  },

  async PUT(ctx) {
    const { service } = ctx.state;
    const text = await readJsonText(ctx.req, service.runtime);
    const { tenant } = await requireScope(ctx.req, ctx.state, "widget:mint");
    const id = visitorIdParam(ctx.url);
    const limits = parseOrThrow(visitorLimitsBodySchema, parseJson(text));
    await service.visitors.setLimits(tenant, id, limits);
    return Response.json(await service.visitors.limits(tenant, id));
  },
}));
