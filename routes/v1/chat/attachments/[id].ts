import { apiHandler } from "@/lib/http/api_handler.ts";
import { authenticateReader } from "@/lib/http/authenticate_uploader.ts";
import { attachmentResponse } from "@/lib/http/attachment_response.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { tenant, reader } = await authenticateReader(ctx.req, ctx.state);
    const { attachments } = ctx.state.service;
    return attachmentResponse(await attachments.open(tenant, uuidParam(ctx.params.id), reader));
  },
}));
