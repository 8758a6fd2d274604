import { apiHandler } from "@/lib/http/api_handler.ts";
import { requireSession } from "@/lib/http/run_access.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant, visitor } = await requireSession(ctx.req, ctx.state);
    if (visitor === undefined) return Response.json({});
    return Response.json(await service.visitors.limitsOf(tenant, visitor.hash));
  },
}));
