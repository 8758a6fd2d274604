import { apiHandler } from "@/lib/http/api_handler.ts";
import { documentResponse } from "@/lib/http/document_response.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant } = await requireScope(ctx.req, ctx.state, "knowledge:read");
    const base = uuidParam(ctx.params.id);
    const of = { tenant, base, id: uuidParam(ctx.params.documentId) };
    return documentResponse(await service.knowledge.readSource(of));
  },
}));
