import { pinnedScriptResponse } from "@/lib/http/script_response.ts";
import { define } from "@/utils.ts";

/** The extras of a panel, which knows their content hash. */
export const handler = define.handlers({
  GET: (ctx) => pinnedScriptResponse(ctx, "widget-extras"),
});
