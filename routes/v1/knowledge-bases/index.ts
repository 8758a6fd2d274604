import { apiHandler } from "@/lib/http/api_handler.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { withIdempotency } from "@/lib/http/with_idempotency.ts";
import { pageRequestParams } from "@/lib/http/request_params.ts";
import { parseJson, readJsonText } from "@/lib/http/bodies/read_json.ts";
import type { KnowledgeBase } from "@/lib/schemas/knowledge.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant } = await requireScope(ctx.req, ctx.state, "knowledge:read");
    return Response.json(await service.knowledge.list(tenant, pageRequestParams(ctx.url)));
  },

  async POST(ctx) {
    const { service } = ctx.state;
    const text = await readJsonText(ctx.req, service.runtime);
    const { tenant, id: apiKeyId } = await requireScope(ctx.req, ctx.state, "knowledge:write");
    const body = parseJson(text);
    return await withIdempotency<KnowledgeBase>(ctx, {
      route: "POST /v1/knowledge-bases",
      apiKeyId,
      request: body,
      create: (options) => service.knowledge.create(tenant, body, options),
      respond: (base) => ({
        body: base,
        headers: { location: `/v1/knowledge-bases/${base.id}` },
      }),
    });
  },
}));
