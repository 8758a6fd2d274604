import { HttpError } from "fresh";
import { define } from "@/utils.ts";

/** The widget script under the name of its content: what it answers never changes. */
export const handler = define.handlers({
  GET(ctx) {
    const { widget } = ctx.state.service;
    if (ctx.params.hash !== widget.hash12) throw new HttpError(404);
    return new Response(widget.body, {
      headers: {
        "content-type": "text/javascript; charset=utf-8",
        "cache-control": "public, max-age=31536000, immutable, no-transform",
        "access-control-allow-origin": "*",
        "cross-origin-resource-policy": "cross-origin",
        "x-content-type-options": "nosniff",
      },
    });
  },
});
