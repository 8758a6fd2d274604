import { CHECKED_BY_ROUTE } from "@/lib/http/agent_access.ts";
import { apiHandler } from "@/lib/http/api_handler.ts";
import { discardBody } from "@/lib/http/bodies/read_json.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async POST(ctx) {
    const { service } = ctx.state;
    await discardBody(ctx.req, service.runtime);
    const wanted = { scope: "conversations:write", agentId: CHECKED_BY_ROUTE } as const;
    const { tenant, agents } = await requireScope(ctx.req, ctx.state, wanted);
    await service.unanswered.dismiss({ tenant, agents, runId: uuidParam(ctx.params.runId) });
    return new Response(null, { status: 204 });
  },
}));
