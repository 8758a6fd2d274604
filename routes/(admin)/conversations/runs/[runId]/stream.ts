import { ApiError } from "@/lib/schemas/api_error.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { keepsAccess } from "@/lib/dashboard/sign_in/keeps_access.ts";
import { jsonHandler } from "@/lib/dashboard/json_handler.ts";
import { sseResponse } from "@/lib/http/sse_response.ts";
import { streamPosition, uuidParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

/** The frames of a run that is being answered in any process. */
export const handler = define.handlers({
  GET: jsonHandler(async (ctx) => {
    const { runs, inbox, runtime, closing } = ctx.state.service;
    const { tenant } = signedIn(ctx.state);
    const runId = uuidParam(ctx.params.runId);
    const after = streamPosition(ctx.req, runId);
    if (await inbox.findLive(tenant, runId) === undefined) {
      const found = await runs.find(tenant, runId);
      if (found.state === "unknown") throw new ApiError("not_found", "there is no such run");
      return new Response(null, { status: 204 });
    }
    const isAllowed = keepsAccess(ctx);
    return sseResponse(runs.follow(tenant, runId), { runtime, closing, after, isAllowed });
  }),
});
