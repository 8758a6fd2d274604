import { locateConversation } from "@/lib/dashboard/handoff/read_handoff.ts";
import { jsonHandler } from "@/lib/dashboard/json_handler.ts";
import { ApiError } from "@/lib/schemas/api_error.ts";
import { define } from "@/utils.ts";

/** Shows the visitor that the person types. */
export const handler = define.handlers({
  POST: jsonHandler(async (ctx) => {
    const place = await locateConversation(ctx);
    if (place === undefined) throw new ApiError("not_found", "there is no such conversation");
    await ctx.state.service.handoffs.recordTyping(place.name, "person");
    return new Response(null, { status: 204 });
  }),
});
