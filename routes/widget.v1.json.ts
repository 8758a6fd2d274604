import { define } from "@/utils.ts";

/** What the current widget script is, for those who write its tag. */
export const handler = define.handlers({
  GET(ctx) {
    const { version, integrity, bytes, hash12 } = ctx.state.service.widget;
    const pinned = `/widget.v1.${hash12}.js`;
    return Response.json({ version, integrity, bytes, pinned }, {
      headers: {
        "cache-control": "public, max-age=60, must-revalidate, no-transform",
        "access-control-allow-origin": "*",
      },
    });
  },
});
