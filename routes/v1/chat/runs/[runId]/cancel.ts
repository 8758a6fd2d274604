import { apiHandler } from "@/lib/http/api_handler.ts";
import { discardBody } from "@/lib/http/bodies/read_json.ts";
import { findAccessibleRun } from "@/lib/http/run_access.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async POST(ctx) {
    const { service } = ctx.state;
    await discardBody(ctx.req, service.runtime);
    const runId = uuidParam(ctx.params.runId);
    const { tenant } = await findAccessibleRun(ctx.req, ctx.state, { runId, counted: true });
    await service.runs.cancel(tenant, runId);
    return new Response(null, { status: 202 });
  },
}));
