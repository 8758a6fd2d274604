import { define } from "@/utils.ts";

/** Redirects to the dashboard, which leads to sign-in or setup if needed. */
export const handler = define.handlers({
  GET: (ctx) => ctx.redirect("/home", 303),
});
