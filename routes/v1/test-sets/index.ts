import { apiHandler } from "@/lib/http/api_handler.ts";
import { parseJson, readJsonText } from "@/lib/http/bodies/read_json.ts";
import { entityTag } from "@/lib/http/entity_tag.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { pageRequestParams } from "@/lib/http/request_params.ts";
import { withIdempotency } from "@/lib/http/with_idempotency.ts";
import type { TestSet } from "@/lib/schemas/test_set.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant } = await requireScope(ctx.req, ctx.state, "agents:read");
    return Response.json(await service.testSets.list(tenant, pageRequestParams(ctx.url)));
  },

  async POST(ctx) {
    const { service } = ctx.state;
    const text = await readJsonText(ctx.req, service.runtime);
    const { tenant, id: apiKeyId } = await requireScope(ctx.req, ctx.state, "agents:write");
    const body = parseJson(text);
    return await withIdempotency<TestSet>(ctx, {
      route: "POST /v1/test-sets",
      apiKeyId,
      request: body,
      create: (options) => service.testSets.create(tenant, body, options),
      respond: (set) => ({
        body: set,
        headers: { location: `/v1/test-sets/${set.id}`, etag: entityTag(set.version) },
      }),
    });
  },
}));
