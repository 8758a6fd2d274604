import { apiHandler } from "@/lib/http/api_handler.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  GET: (ctx) => Response.json({ keys: ctx.state.service.runSeals.keys }),
}));
