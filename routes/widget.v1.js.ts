import { scriptResponse } from "@/lib/http/script_response.ts";
import { define } from "@/utils.ts";

/** The widget script. */
export const handler = define.handlers({
  GET: (ctx) => scriptResponse(ctx, ctx.state.service.widget),
});
