import { pinnedScriptResponse } from "@/lib/http/script_response.ts";
import { define } from "@/utils.ts";

/** A widget script by its content hash. */
export const handler = define.handlers({ GET: (ctx) => pinnedScriptResponse(ctx, "widget") });
