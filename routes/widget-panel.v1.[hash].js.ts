import { pinnedScriptResponse } from "@/lib/http/script_response.ts";
import { define } from "@/utils.ts";

/** The panel of a launcher, which knows its content hash. */
export const handler = define.handlers({ GET: (ctx) => pinnedScriptResponse(ctx, "widget-panel") });
