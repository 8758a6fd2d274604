import { apiHandler } from "@/lib/http/api_handler.ts";
import { discardBody } from "@/lib/http/bodies/read_json.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async POST(ctx) {
    const { service } = ctx.state;
    await discardBody(ctx.req, service.runtime);
    const { tenant, id } = await requireScope(ctx.req, ctx.state, "agents:write");
    const { id: set, testRunId } = ctx.params;
    const name = { tenant, set: uuidParam(set), id: uuidParam(testRunId) };
    const resumed = await service.testRuns.resume({ ...name, source: { kind: "key", id } });
    return Response.json(resumed, { status: 202 });
  },
}));
