import { toApiError } from "@/lib/http/error_response.ts";
import { isUuid } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

/**
 * How an agent's widget looks and what the agent offers, for any page: before there is a session, and
 * without one. Agents with neither and unknown ones get the same answer.
 */
export const handler = define.handlers({
  async GET(ctx) {
    const id = ctx.params.agent!.toLowerCase();
    try {
      const { agents } = ctx.state.service;
      return Response.json(isUuid(id) ? await agents.publicAppearance(id) : {}, {
        headers: {
          "access-control-allow-origin": "*",
          "cache-control": "public, max-age=60",
        },
      });
    } catch (error) {
      if (toApiError(error).code !== "service_unavailable") throw error;
      const headers = { "retry-after": "1" };
      return new Response("The store is not available.", { status: 503, headers });
    }
  },
});
