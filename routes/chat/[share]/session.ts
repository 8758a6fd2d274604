import { jsonHandler } from "@/lib/dashboard/json_handler.ts";
import { findSharedAgent } from "@/lib/http/find_shared_agent.ts";
import { ApiError } from "@/lib/schemas/api_error.ts";
import { serviceOrigins } from "@/lib/services/demo_agent.ts";
import { define } from "@/utils.ts";

/** Mints a session for the page of a share link. Counts like a mint under /v1. */
export const handler = define.handlers({
  POST: jsonHandler(async (ctx) => {
    const { service, rateLimiter } = ctx.state;
    await rateLimiter.count();
    const origin = ctx.req.headers.get("origin") ?? "";
    if (!serviceOrigins(service.baseUrl).includes(origin)) {
      throw new ApiError("origin_not_allowed", "only the page of the link can mint its sessions");
    }
    const share = ctx.params.share!;
    const agent = await findSharedAgent(service, share);
    if (agent === undefined) throw new ApiError("not_found", "this link is switched off");
    const minted = await service.sessions.mintForShare(agent.tenant, agent, { origin, share });
    return Response.json(minted, { status: 201, headers: { "cache-control": "no-store" } });
  }),
});
