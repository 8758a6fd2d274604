import { apiHandler } from "@/lib/http/api_handler.ts";
import { discardBody } from "@/lib/http/bodies/read_json.ts";
import { requireSession } from "@/lib/http/run_access.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const session = await requireSession(ctx.req, ctx.state);
    return Response.json({ facts: await ctx.state.service.visitorMemories.list(session) });
  },

  async DELETE(ctx) {
    const { service } = ctx.state;
    await discardBody(ctx.req, service.runtime);
    await service.visitorMemories.clear(await requireSession(ctx.req, ctx.state));
    return new Response(null, { status: 204 });
  },
}));
