import { apiHandler } from "@/lib/http/api_handler.ts";
import { discardBody } from "@/lib/http/bodies/read_json.ts";
import { findAccessibleConversation } from "@/lib/http/conversation_access.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { handoffs } = ctx.state.service;
    const id = uuidParam(ctx.params.id);
    const { place } = await findAccessibleConversation(ctx.req, ctx.state, { id, counted: true });
    return Response.json(await handoffs.status(place));
  },

  async POST(ctx) {
    const { handoffs, runtime } = ctx.state.service;
    await discardBody(ctx.req, runtime);
    const id = uuidParam(ctx.params.id);
    const { place } = await findAccessibleConversation(ctx.req, ctx.state, { id, counted: true });
    return Response.json(await handoffs.request(place));
  },
}));
