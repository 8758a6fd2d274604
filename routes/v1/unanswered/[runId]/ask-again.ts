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
    const { tenant, id, agents } = await requireScope(ctx.req, ctx.state, wanted);
    const source = { kind: "key", id } as const;
    const runId = uuidParam(ctx.params.runId);
    await service.unanswered.askAgain({ tenant, agents, runId, source });
    return new Response(null, { status: 202 });
  },
}));
