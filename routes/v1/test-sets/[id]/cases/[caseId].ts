import { apiHandler } from "@/lib/http/api_handler.ts";
import { discardBody, parseJson, readJsonText } from "@/lib/http/bodies/read_json.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant } = await requireScope(ctx.req, ctx.state, "agents:read");
    const { id, caseId } = ctx.params;
    const name = { tenant, set: uuidParam(id), id: uuidParam(caseId) };
    return Response.json(await service.testCases.get(name));
  },

  async PUT(ctx) {
    const { service } = ctx.state;
    const text = await readJsonText(ctx.req, service.runtime);
    const { tenant } = await requireScope(ctx.req, ctx.state, "agents:write");
    const { id, caseId } = ctx.params;
    const name = { tenant, set: uuidParam(id), id: uuidParam(caseId) };
    return Response.json(await service.testCases.replace(name, parseJson(text)));
  },

  async DELETE(ctx) {
    const { service } = ctx.state;
    await discardBody(ctx.req, service.runtime);
    const { tenant } = await requireScope(ctx.req, ctx.state, "agents:write");
    const { id, caseId } = ctx.params;
    await service.testCases.delete({ tenant, set: uuidParam(id), id: uuidParam(caseId) });
    return new Response(null, { status: 204 });
  },
}));
