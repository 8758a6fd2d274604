import { ATTACHMENT_POLICY, attachmentResponse } from "@/lib/http/attachment_response.ts";
import { jsonHandler } from "@/lib/dashboard/json_handler.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

/** A file of a message, for the transcript. */
export const handler = define.handlers({
  GET: jsonHandler(async (ctx) => {
    const { tenant } = signedIn(ctx.state);
    const id = uuidParam(ctx.params.attachmentId);
    ctx.state.ownPolicy = ATTACHMENT_POLICY;
    return attachmentResponse(await ctx.state.service.attachments.open(tenant, id));
  }),
});
