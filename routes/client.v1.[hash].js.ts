import { HttpError } from "fresh";
import { CLIENT_TYPES, pinnedResponse } from "@/lib/http/script_response.ts";
import { define } from "@/utils.ts";

/** A client module under the name of its content. */
export const handler = define.handlers({
  async GET(ctx) {
    const script = await ctx.state.service.releases.find("client", ctx.params.hash ?? "");
    if (script === undefined) throw new HttpError(404);
    return pinnedResponse(script, CLIENT_TYPES);
  },
});
