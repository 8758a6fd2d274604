import { CLIENT_TYPES_HEADER, scriptResponse } from "@/lib/http/script_response.ts";
import { define } from "@/utils.ts";

/** The client module. */
export const handler = define.handlers({
  GET: (ctx) => scriptResponse(ctx, ctx.state.service.client, CLIENT_TYPES_HEADER),
});
