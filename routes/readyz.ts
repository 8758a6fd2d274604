import { define } from "@/utils.ts";

/** The store responds, so the process can serve requests. */
export const handler = define.handlers({
  async GET(ctx) {
    const ready = await ctx.state.service.ready();
    const status = ready ? "ok" : "unavailable";
    const headers = new Headers({ "cache-control": "no-store" });
    if (!ready) headers.set("retry-after", "2");
    return Response.json({ status }, { status: ready ? 200 : 503, headers });
  },
});
