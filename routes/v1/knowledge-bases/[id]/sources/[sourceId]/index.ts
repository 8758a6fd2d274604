import { apiHandler } from "@/lib/http/api_handler.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { discardBody, parseJson, readJsonText } from "@/lib/http/bodies/read_json.ts";
import { keepPagesParam, pageRequestParams, uuidParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant } = await requireScope(ctx.req, ctx.state, "knowledge:read");
    const of = sourceName(tenant, ctx.params);
    return Response.json(await service.webSources.report(of, pageRequestParams(ctx.url)));
  },

  async PATCH(ctx) {
    const { service } = ctx.state;
    const text = await readJsonText(ctx.req, service.runtime);
    const { tenant } = await requireScope(ctx.req, ctx.state, "knowledge:write");
    const patch = parseJson(text);
    return Response.json(await service.webSources.patch(sourceName(tenant, ctx.params), patch));
  },

  async DELETE(ctx) {
    const { service } = ctx.state;
    await discardBody(ctx.req, service.runtime);
    const { tenant } = await requireScope(ctx.req, ctx.state, "knowledge:write");
    const keepPages = keepPagesParam(ctx.url);
    await service.webSources.delete(sourceName(tenant, ctx.params), { keepPages });
    return new Response(null, { status: 204 });
  },
}));

function sourceName(tenant: string, params: Record<string, string>) {
  return { tenant, base: uuidParam(params.id), id: uuidParam(params.sourceId) };
}
