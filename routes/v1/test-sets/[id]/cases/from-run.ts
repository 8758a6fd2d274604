import { apiHandler } from "@/lib/http/api_handler.ts";
import { parseJson, readJsonText } from "@/lib/http/bodies/read_json.ts";
import { checkScope, requireScope } from "@/lib/http/identify_key.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { withIdempotency } from "@/lib/http/with_idempotency.ts";
import { parseOrThrow } from "@/lib/schemas/api_error.ts";
import { type NewTestCaseIds, testCaseSourceSchema } from "@/lib/schemas/test_case.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async POST(ctx) {
    const { service } = ctx.state;
    const text = await readJsonText(ctx.req, service.runtime);
    const caller = await requireScope(ctx.req, ctx.state, "agents:write");
    const { tenant, id: apiKeyId } = caller;
    const id = uuidParam(ctx.params.id);
    const request = parseOrThrow(testCaseSourceSchema, parseJson(text));
    // It copies what a visitor wrote to where other keys may read it.
    checkScope(caller, "conversations:read");
    return await withIdempotency<NewTestCaseIds>(ctx, {
      route: `POST /v1/test-sets/${id}/cases/from-run`,
      ...{ apiKeyId, request },
      create: (options) => service.testCases.addFromRun({ tenant, id }, request, options),
      respond: (created) => ({ body: created, headers: {} }),
    });
  },
}));
