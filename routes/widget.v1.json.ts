import { scriptInfoResponse } from "@/lib/http/script_response.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers({
  GET: (ctx) => scriptInfoResponse("widget", ctx.state.service.widget),
});
