import { apiHandler } from "@/lib/http/api_handler.ts";
import { requireScope } from "@/lib/http/authenticate.ts";
import { entityTag, ifMatchVersions, isNotModified } from "@/lib/http/entity_tag.ts";
import { parseJson, readJsonText } from "@/lib/http/read_json.ts";
import { uuidParam } from "@/lib/http/uuid_param.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant } = await requireScope(ctx.req, ctx.state, "agents:read");
    const agent = await service.agents.get(tenant, uuidParam(ctx.params.id));
    const headers = { etag: entityTag(agent.version) };
    if (isNotModified(ctx.req, agent.version)) return new Response(null, { status: 304, headers });
    return Response.json(agent, { headers });
  },

  async PATCH(ctx) {
    const { service } = ctx.state;
    const text = await readJsonText(ctx.req, service.system);
    const { tenant } = await requireScope(ctx.req, ctx.state, "agents:write");
    const patch = parseJson(text);
    const ifMatch = ifMatchVersions(ctx.req);
    const id = uuidParam(ctx.params.id);
    const agent = await service.agents.patch(tenant, id, { patch, ifMatch });
    return Response.json(agent, { headers: { etag: entityTag(agent.version) } });
  },

  async DELETE(ctx) {
    const { service } = ctx.state;
    const { tenant } = await requireScope(ctx.req, ctx.state, "agents:write");
    const ifMatch = ifMatchVersions(ctx.req);
    await service.agents.delete(tenant, uuidParam(ctx.params.id), { ifMatch });
    return new Response(null, { status: 204 });
  },
}));
