import { apiHandler } from "@/lib/http/api_handler.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { pageRequestParams, uuidParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  /** Lists the last 100 versions, newest first. */
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant } = await requireScope(ctx.req, ctx.state, {
      scope: "agents:read",
      agentId: ctx.params.id,
    });
    const page = pageRequestParams(ctx.url);
    return Response.json(
      await service.agents.listVersions(tenant, uuidParam(ctx.params.id), page),
    );
  },
}));
