import { define } from "@/utils.ts";

/** The store answers, so requests can be served. */
export const handler = define.handlers({
  async GET(ctx) {
    const ready = await ctx.state.service.ready();
    const status = ready ? "ok" : "unavailable";
    const headers = { "cache-control": "no-store" };
    return Response.json({ status }, { status: ready ? 200 : 503, headers });
  },
});
