import { pinnedScriptResponse } from "@/lib/http/script_response.ts";
import { define } from "@/utils.ts";

/** A client module under the name of its content. */
export const handler = define.handlers({ GET: (ctx) => pinnedScriptResponse(ctx, "client") });
