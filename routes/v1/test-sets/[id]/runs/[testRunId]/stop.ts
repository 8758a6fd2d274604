import { apiHandler } from "@/lib/http/api_handler.ts";
import { discardBody } from "@/lib/http/bodies/read_json.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async POST(ctx) {
    const { service } = ctx.state;
    await discardBody(ctx.req, service.runtime);
    const { tenant } = await requireScope(ctx.req, ctx.state, "agents:write");
    const { id: set, testRunId } = ctx.params;
    await service.testRuns.stop({ tenant, set: uuidParam(set), id: uuidParam(testRunId) });
    return new Response(null, { status: 202 });
  },
}));
