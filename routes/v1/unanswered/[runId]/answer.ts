import { apiHandler } from "@/lib/http/api_handler.ts";
import { parseJson, readJsonText } from "@/lib/http/bodies/read_json.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { withIdempotency } from "@/lib/http/with_idempotency.ts";
import type { Document } from "@/lib/schemas/knowledge.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async POST(ctx) {
    const { service } = ctx.state;
    const request = await readJsonText(ctx.req, service.runtime);
    const { tenant, id: apiKeyId } = await requireScope(ctx.req, ctx.state, "knowledge:write");
    const name = { tenant, runId: uuidParam(ctx.params.runId) };
    return await withIdempotency<Document>(ctx, {
      route: `POST /v1/unanswered/${name.runId}/answer`,
      ...{ apiKeyId, request },
      create: (options) => service.unanswered.answer(name, parseJson(request), options),
      respond: (document) => ({ body: document, headers: {} }),
    });
  },
}));
