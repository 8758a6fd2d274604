import { scriptInfoResponse } from "@/lib/http/script_response.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers({
  GET: (ctx) => scriptInfoResponse("client", ctx.state.service.client),
});
