import { ApiError } from "@/lib/schemas/api_error.ts";
import { apiHandler } from "@/lib/http/api_handler.ts";
import {
  createEncoder,
  encoderOptions,
  requestedProtocol,
  requestedWait,
} from "@/lib/http/encoders/requested_protocol.ts";
import { pollResponse } from "@/lib/http/poll_response.ts";
import { findAccessibleRun } from "@/lib/http/run_access.ts";
import { traceFollower } from "@/lib/http/trace_follower.ts";
import { sseResponse } from "@/lib/http/sse_response.ts";
import { streamPosition, uuidParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    // Read at once: Deno reports only what happens from then on.
    const gone = ctx.req.signal;
    const { service, rateLimiter } = ctx.state;
    await rateLimiter.countResume();
    const runId = uuidParam(ctx.params.runId);
    const { tenant, found } = await findAccessibleRun(ctx.req, ctx.state, {
      runId,
      counted: false,
    });
    const after = streamPosition(ctx.req, runId);
    const protocol = requestedProtocol(ctx.req);
    const wait = requestedWait(ctx.req);
    if (!("head" in found)) {
      throw new ApiError("stream_expired", "the frames of this run are gone");
    }
    const { head } = found;
    const isOver = head.state === "done" ? after >= head.frames : head.told?.includes(after);
    if (isOver) return new Response(null, { status: 204 });
    traceFollower(ctx, head);
    const { runtime, closing } = service;
    const run = service.runs.follow(tenant, runId);
    if (wait !== undefined) {
      return await pollResponse(run, { runtime, closing, after, gone, waitMs: wait * 1_000 });
    }
    const encoder = createEncoder(protocol, runId, encoderOptions(ctx.req));
    return sseResponse(run, { runtime, closing, after, encoder });
  },
}));
