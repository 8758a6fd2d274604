import { define } from "@/utils.ts";

/** The process is alive. Does not check the store. */
export const handler = define.handlers({
  GET: () => Response.json({ status: "ok" }, { headers: { "cache-control": "no-store" } }),
});
