import { signedIn } from "@/lib/dashboard/authorization.ts";
import { jsonHandler } from "@/lib/dashboard/json_handler.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

/** A session for the widget of the preview. */
export const handler = define.handlers({
  POST: jsonHandler(async (ctx) => {
    const { service } = ctx.state;
    const { tenant } = signedIn(ctx.state);
    const agent = await service.agents.get(tenant, uuidParam(ctx.params.id));
    // The browser's, which is the service's own: other sites' forms are rejected before.
    const origin = ctx.req.headers.get("origin") ?? undefined;
    const minted = await service.sessions.mintForPlayground(tenant, agent, origin);
    return Response.json(minted, { status: 201 });
  }),
});
