import { apiHandler } from "@/lib/http/api_handler.ts";
import { findRatableRun } from "@/lib/http/find_ratable_run.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { ApiError } from "@/lib/schemas/api_error.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const runId = uuidParam(ctx.params.runId);
    const { record } = await findRatableRun(ctx.req, ctx.state, { runId });
    if (record === undefined) throw new ApiError("run_not_ended", "the run has not ended yet");
    return Response.json(await ctx.state.service.runSeals.get(record));
  },
}));
