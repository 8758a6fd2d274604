import { define } from "@/utils.ts";

/** The front door: the dashboard, whose guard knows what comes first. */
export const handler = define.handlers({
  GET: (ctx) => ctx.redirect("/home", 303),
});
