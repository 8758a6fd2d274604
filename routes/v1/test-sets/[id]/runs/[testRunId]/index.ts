import { apiHandler } from "@/lib/http/api_handler.ts";
import { discardBody } from "@/lib/http/bodies/read_json.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant } = await requireScope(ctx.req, ctx.state, "agents:read");
    const { id: set, testRunId } = ctx.params;
    const name = { tenant, set: uuidParam(set), id: uuidParam(testRunId) };
    return Response.json(await service.testRunReader.read(name));
  },

  async DELETE(ctx) {
    const { service } = ctx.state;
    await discardBody(ctx.req, service.runtime);
    const { tenant } = await requireScope(ctx.req, ctx.state, "agents:write");
    const { id: set, testRunId } = ctx.params;
    await service.testRuns.delete({ tenant, set: uuidParam(set), id: uuidParam(testRunId) });
    return new Response(null, { status: 204 });
  },
}));
