import { HttpError } from "fresh";
import { pinnedResponse } from "@/lib/http/script_response.ts";
import { define } from "@/utils.ts";

/** A widget script under the name of its content. */
export const handler = define.handlers({
  async GET(ctx) {
    const script = await ctx.state.service.releases.find("widget", ctx.params.hash ?? "");
    if (script === undefined) throw new HttpError(404);
    return pinnedResponse(script);
  },
});
