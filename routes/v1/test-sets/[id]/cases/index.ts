import { apiHandler } from "@/lib/http/api_handler.ts";
import { parseJson, readJsonOrLines } from "@/lib/http/bodies/read_json.ts";
import { servicesFor } from "@/lib/http/configuration_lock.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { pageRequestParams, uuidParam } from "@/lib/http/request_params.ts";
import { withIdempotency } from "@/lib/http/with_idempotency.ts";
import type { NewTestCaseIds } from "@/lib/schemas/test_case.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant } = await requireScope(ctx.req, ctx.state, "agents:read");
    const name = { tenant, id: uuidParam(ctx.params.id) };
    return Response.json(await service.testCases.list(name, pageRequestParams(ctx.url)));
  },

  async POST(ctx) {
    const { service } = ctx.state;
    const { text, isLines } = await readJsonOrLines(ctx.req, service.runtime);
    const { tenant, id: apiKeyId } = await requireScope(ctx.req, ctx.state, "agents:write");
    const id = uuidParam(ctx.params.id);
    const name = { tenant, id };
    const request = isLines ? text : parseJson(text);
    const { testCases } = await servicesFor(ctx, tenant);
    return await withIdempotency<NewTestCaseIds>(ctx, {
      route: `POST /v1/test-sets/${id}/cases`,
      ...{ apiKeyId, request },
      create: (options) =>
        isLines ? testCases.addLines(name, text, options) : testCases.add(name, request, options),
      respond: (created) => ({ body: created, headers: {} }),
    });
  },
}));
