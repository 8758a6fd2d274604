import { apiHandler } from "@/lib/http/api_handler.ts";
import { replyToCall } from "@/lib/http/reply_to_call.ts";
import { callOutputSchema } from "@/lib/schemas/waiting_call.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  POST: (ctx) => replyToCall(ctx, callOutputSchema),
}));
