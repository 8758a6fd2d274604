import { apiHandler } from "@/lib/http/api_handler.ts";
import { servicesFor } from "@/lib/http/configuration_lock.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { withIdempotency } from "@/lib/http/with_idempotency.ts";
import { pageRequestParams, uuidParam } from "@/lib/http/request_params.ts";
import { receiveUpload, rejectUpload, uploadIdentity } from "@/lib/http/bodies/receive_upload.ts";
import type { Document } from "@/lib/schemas/knowledge.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant } = await requireScope(ctx.req, ctx.state, "knowledge:read");
    const base = { tenant, base: uuidParam(ctx.params.id) };
    return Response.json(await service.knowledge.listDocuments(base, pageRequestParams(ctx.url)));
  },

  async POST(ctx) {
    const { service } = ctx.state;
    rejectUpload(ctx.req, service);
    const { tenant, id: apiKeyId } = await requireScope(ctx.req, ctx.state, "knowledge:write");
    const upload = await receiveUpload(ctx.req, { ...service, tenant });
    const base = { tenant, base: uuidParam(ctx.params.id) };
    const path = `/v1/knowledge-bases/${base.base}/documents`;
    const { knowledge } = await servicesFor(ctx, tenant);
    return await withIdempotency<Document>(ctx, {
      route: `POST ${path}`,
      apiKeyId,
      request: await uploadIdentity(upload),
      create: (options) => knowledge.addDocument(base, upload, options),
      respond: (document) => ({
        body: document,
        headers: { location: `${path}/${document.id}` },
      }),
    });
  },
}));
