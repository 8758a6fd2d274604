import { apiHandler } from "@/lib/http/api_handler.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { servicesFor } from "@/lib/http/configuration_lock.ts";
import { ifMatchHashes } from "@/lib/http/entity_tag.ts";
import { receiveUpload, rejectUpload } from "@/lib/http/bodies/receive_upload.ts";
import { discardBody } from "@/lib/http/bodies/read_json.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant } = await requireScope(ctx.req, ctx.state, "knowledge:read");
    const base = uuidParam(ctx.params.id);
    const of = { tenant, base, id: uuidParam(ctx.params.documentId) };
    return Response.json(await service.knowledge.getDocument(of));
  },

  /** Repeating it is harmless: the same content replaces itself. */
  async PUT(ctx) {
    const { service } = ctx.state;
    rejectUpload(ctx.req, service);
    const { tenant } = await requireScope(ctx.req, ctx.state, "knowledge:write");
    const base = uuidParam(ctx.params.id);
    const of = { tenant, base, id: uuidParam(ctx.params.documentId) };
    const upload = await receiveUpload(ctx.req, { ...service, tenant });
    const { knowledge } = await servicesFor(ctx, tenant);
    const options = { ifMatch: ifMatchHashes(ctx.req) };
    return Response.json(await knowledge.replaceDocument(of, upload, options));
  },

  async DELETE(ctx) {
    const { service } = ctx.state;
    await discardBody(ctx.req, service.runtime);
    const { tenant } = await requireScope(ctx.req, ctx.state, "knowledge:write");
    const base = uuidParam(ctx.params.id);
    const of = { tenant, base, id: uuidParam(ctx.params.documentId) };
    const { knowledge } = await servicesFor(ctx, tenant);
    await knowledge.deleteDocument(of, { ifMatch: ifMatchHashes(ctx.req) });
    return new Response(null, { status: 204 });
  },
}));
