import { apiHandler } from "@/lib/http/api_handler.ts";
import { discardBody, parseJson, readJsonText } from "@/lib/http/bodies/read_json.ts";
import { findRatableRun } from "@/lib/http/find_ratable_run.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { ApiError, parseOrThrow } from "@/lib/schemas/api_error.ts";
import { type FeedbackBody, feedbackBodySchema } from "@/lib/schemas/feedback.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const runId = uuidParam(ctx.params.runId);
    const { tenant } = await findRatableRun(ctx.req, ctx.state, { runId });
    return Response.json(await service.feedback.get(tenant, runId));
  },

  async PUT(ctx) {
    const { service } = ctx.state;
    const text = await readJsonText(ctx.req, service.runtime);
    let body: FeedbackBody | undefined;
    const onIdentified = () => {
      body = parseOrThrow(feedbackBodySchema, parseJson(text));
    };
    const runId = uuidParam(ctx.params.runId);
    const { record } = await findRatableRun(ctx.req, ctx.state, { runId, onIdentified });
    if (record === undefined) throw new ApiError("run_not_ended", "the run has not ended yet");
    await service.feedback.rate(record, body!);
    return new Response(null, { status: 204 });
  },

  async DELETE(ctx) {
    const { service } = ctx.state;
    await discardBody(ctx.req, service.runtime);
    const runId = uuidParam(ctx.params.runId);
    const { record } = await findRatableRun(ctx.req, ctx.state, { runId });
    if (record !== undefined) await service.feedback.withdraw(record);
    return new Response(null, { status: 204 });
  },
}));
