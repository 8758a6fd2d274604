import { apiHandler } from "@/lib/http/api_handler.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { discardBody } from "@/lib/http/bodies/read_json.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async POST(ctx) {
    const { service } = ctx.state;
    await discardBody(ctx.req, service.runtime);
    const { tenant } = await requireScope(ctx.req, ctx.state, {
      scope: "agents:write",
      agentId: ctx.params.id,
    });
    const { id: agent, rehearsalId } = ctx.params;
    await service.rehearsals.stop({
      ...{ tenant, agentId: uuidParam(agent), id: uuidParam(rehearsalId) },
    });
    return new Response(null, { status: 202 });
  },
}));
