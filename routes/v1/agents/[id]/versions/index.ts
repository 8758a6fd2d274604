import { apiHandler } from "@/lib/http/api_handler.ts";
import { requireScope } from "@/lib/http/authenticate.ts";
import { uuidParam } from "@/lib/http/uuid_param.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  /** The last 100 versions, newest first. */
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant } = await requireScope(ctx.req, ctx.state, "agents:read");
    return Response.json({
      data: await service.agents.listVersions(tenant, uuidParam(ctx.params.id)),
    });
  },
}));
