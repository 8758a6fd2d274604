import { apiHandler } from "@/lib/http/api_handler.ts";
import { authenticateUploader } from "@/lib/http/authenticate_uploader.ts";
import { receiveAttachment, rejectAttachment } from "@/lib/http/bodies/receive_attachment.ts";
import { withIdempotency } from "@/lib/http/with_idempotency.ts";
import type { Attachment } from "@/lib/schemas/attachment.ts";
import { define } from "@/utils.ts";

const PATH = "/v1/chat/attachments";

export const handler = define.handlers(apiHandler({
  async POST(ctx) {
    const { service } = ctx.state;
    const { attachments, runtime } = service;
    rejectAttachment(ctx.req);
    const uploader = await authenticateUploader(ctx.req, ctx.state);
    await attachments.checkUploader(uploader);
    return await receiveAttachment(ctx.req, {
      tenant: uploader.tenant,
      runtime,
      store: async (file) => {
        const digest = await crypto.subtle.digest("SHA-256", file.bytes);
        const sha256 = new Uint8Array(digest).toHex();
        const { agent, owner } = uploader;
        return await withIdempotency<Attachment>(ctx, {
          route: `POST ${PATH}`,
          apiKeyId: owner.id,
          request: { agentId: agent.id, name: file.name ?? "", sha256 },
          create: (options) => attachments.upload(uploader, file, options),
          respond: (created) => ({
            body: created,
            headers: { location: `${PATH}/${created.id}` },
          }),
        });
      },
    });
  },
}));
