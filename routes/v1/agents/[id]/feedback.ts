import { apiHandler } from "@/lib/http/api_handler.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { dayOf } from "@/lib/platform/utc_day.ts";
import { parseDayRange } from "@/lib/schemas/day_range.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant } = await requireScope(ctx.req, ctx.state, {
      scope: "agents:read",
      agentId: ctx.params.id,
    });
    const { searchParams } = ctx.url;
    const asked = { from: searchParams.get("from"), to: searchParams.get("to") };
    const range = parseDayRange(asked, dayOf(service.runtime.now()));
    const { id: agentId } = await service.agents.get(tenant, uuidParam(ctx.params.id));
    return Response.json(await service.feedback.counts(tenant, { agentId, range }));
  },
}));
