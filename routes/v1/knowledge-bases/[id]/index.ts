import { apiHandler } from "@/lib/http/api_handler.ts";
import { ifMatchVersions } from "@/lib/http/entity_tag.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { discardBody, parseJson, readJsonText } from "@/lib/http/bodies/read_json.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant } = await requireScope(ctx.req, ctx.state, "knowledge:read");
    return Response.json(await service.knowledge.get(tenant, uuidParam(ctx.params.id)));
  },

  async PATCH(ctx) {
    const { service } = ctx.state;
    const text = await readJsonText(ctx.req, service.runtime);
    const { tenant } = await requireScope(ctx.req, ctx.state, "knowledge:write");
    const patch = parseJson(text);
    const id = uuidParam(ctx.params.id);
    const options = { patch, ifMatch: ifMatchVersions(ctx.req) };
    return Response.json(await service.knowledge.patch(tenant, id, options));
  },

  async DELETE(ctx) {
    const { service } = ctx.state;
    await discardBody(ctx.req, service.runtime);
    const { tenant } = await requireScope(ctx.req, ctx.state, "knowledge:write");
    const options = { ifMatch: ifMatchVersions(ctx.req) };
    await service.knowledge.delete(tenant, uuidParam(ctx.params.id), options);
    return new Response(null, { status: 204 });
  },
}));
