import { apiHandler } from "@/lib/http/api_handler.ts";
import { discardBody } from "@/lib/http/bodies/read_json.ts";
import { findAccessibleConversation } from "@/lib/http/conversation_access.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async POST(ctx) {
    const { handoffs, runtime } = ctx.state.service;
    await discardBody(ctx.req, runtime);
    const id = uuidParam(ctx.params.id);
    const { place } = await findAccessibleConversation(ctx.req, ctx.state, { id, counted: true });
    await handoffs.recordTyping(place.name, "visitor");
    return new Response(null, { status: 204 });
  },
}));
