import { ApiError } from "@/lib/schemas/api_error.ts";
import { apiHandler } from "@/lib/http/api_handler.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant } = await requireScope(ctx.req, ctx.state, {
      scope: "agents:read",
      agentId: ctx.params.id,
    });
    const id = uuidParam(ctx.params.id);
    const n = ctx.params.n ?? "";
    if (!/^[1-9]\d{0,8}$/.test(n)) throw new ApiError("not_found", "there is no such version");
    return Response.json(await service.agents.getVersion(tenant, id, Number(n)));
  },
}));
