import { define } from "@/utils.ts";

/**
 * The widget script. Any page may load it, and its integrity can only be checked when the answer
 * says so (`crossorigin="anonymous"`).
 */
export const handler = define.handlers({
  GET(ctx) {
    const { widget } = ctx.state.service;
    const etag = `"${widget.hash12}"`;
    const headers = {
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=60, must-revalidate, no-transform",
      "access-control-allow-origin": "*",
      "cross-origin-resource-policy": "cross-origin",
      "x-content-type-options": "nosniff",
      etag,
    };
    const known = (ctx.req.headers.get("if-none-match") ?? "").includes(etag);
    if (known) return new Response(null, { status: 304, headers });
    return new Response(widget.body, { headers });
  },
});
