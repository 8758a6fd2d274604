import { isUuid } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

/**
 * How an agent's widget looks, for any page: before there is a session, and without one. Agents without
 * an appearance and unknown ones get the same answer.
 */
export const handler = define.handlers({
  async GET(ctx) {
    const id = ctx.params.agent!.toLowerCase();
    const appearance = isUuid(id) ? await ctx.state.service.agents.publicAppearance(id) : {};
    return Response.json(appearance, {
      headers: {
        "access-control-allow-origin": "*",
        "cache-control": "public, max-age=60, stale-while-revalidate=86400",
      },
    });
  },
});
