import { apiHandler } from "@/lib/http/api_handler.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { withIdempotency } from "@/lib/http/with_idempotency.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { parseJson, readJsonText } from "@/lib/http/bodies/read_json.ts";
import type { WebSource } from "@/lib/schemas/web_source.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant } = await requireScope(ctx.req, ctx.state, "knowledge:read");
    const base = { tenant, base: uuidParam(ctx.params.id) };
    return Response.json({ data: await service.webSources.list(base) });
  },

  async POST(ctx) {
    const { service } = ctx.state;
    const text = await readJsonText(ctx.req, service.runtime);
    const { tenant, id: apiKeyId } = await requireScope(ctx.req, ctx.state, "knowledge:write");
    const body = parseJson(text);
    const base = { tenant, base: uuidParam(ctx.params.id) };
    const path = `/v1/knowledge-bases/${base.base}/sources`;
    return await withIdempotency<WebSource>(ctx, {
      route: `POST ${path}`,
      apiKeyId,
      request: body,
      create: (options) => service.webSources.create(base, body, options),
      respond: (source) => ({ body: source, headers: { location: `${path}/${source.id}` } }),
    });
  },
}));
