import { CHECKED_BY_ROUTE } from "@/lib/http/agent_access.ts";
import { apiHandler } from "@/lib/http/api_handler.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const wanted = { scope: "conversations:read", agentId: CHECKED_BY_ROUTE } as const;
    const { tenant, agents } = await requireScope(ctx.req, ctx.state, wanted);
    const runId = uuidParam(ctx.params.runId);
    return Response.json(await ctx.state.service.unanswered.get({ tenant, runId, agents }));
  },
}));
