import { typesResponse } from "@/lib/http/script_response.ts";
import { define } from "@/utils.ts";

/** The client's TypeScript declarations. */
export const handler = define.handlers({
  GET: (ctx) => typesResponse(ctx.state.service.clientTypes),
});
