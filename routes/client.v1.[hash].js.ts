import { CLIENT_TYPES_HEADER, pinnedScriptResponse } from "@/lib/http/script_response.ts";
import { define } from "@/utils.ts";

/** A client module by its content hash. */
export const handler = define.handlers({
  GET: (ctx) => pinnedScriptResponse(ctx, "client", { more: CLIENT_TYPES_HEADER }),
});
