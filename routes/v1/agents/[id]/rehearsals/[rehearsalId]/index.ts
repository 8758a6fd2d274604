import { apiHandler } from "@/lib/http/api_handler.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { discardBody } from "@/lib/http/bodies/read_json.ts";
import { pageRequestParams, uuidParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant } = await requireScope(ctx.req, ctx.state, {
      scope: "conversations:read",
      agentId: ctx.params.id,
    });
    const { id: agent, rehearsalId } = ctx.params;
    const name = { tenant, agentId: uuidParam(agent), id: uuidParam(rehearsalId) };
    return Response.json(await service.rehearsals.get(name, pageRequestParams(ctx.url)));
  },

  async DELETE(ctx) {
    const { service } = ctx.state;
    await discardBody(ctx.req, service.runtime);
    const { tenant } = await requireScope(ctx.req, ctx.state, {
      scope: "agents:write",
      agentId: ctx.params.id,
    });
    const { id: agent, rehearsalId } = ctx.params;
    const name = { tenant, agentId: uuidParam(agent), id: uuidParam(rehearsalId) };
    await service.rehearsals.delete(name);
    return new Response(null, { status: 204 });
  },
}));
